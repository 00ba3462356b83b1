import AppStore
import Ledger
import Testing

/// `Lifecycle.md` §2 rule 2, second half.
@Suite("Rule 2: restores that share a webOrderLineItemId are one period")
struct RestoreTests {
    private func line(_ id: String?, _ fact: Fact) -> Fact {
        fact.transaction { $0.webOrderLineItemId = id.map { WebOrderLineItemId($0) } }
    }

    @Test("Overlapping transactions are one period: smallest start and its id, largest end")
    func restored() {
        let life = given(
            line("w", .subscribed("1", day(0), day(30))),
            line("w", .transaction("2", day(5), day(31), at: day(5)))
        )
        expectHistory(life, [Start(.subscribed, day(0)), Start(.expired, day(31))])
        #expect(life.intervals[0].transactionId == TransactionId("1"))
        #expect(life.transactionIds.map(\.rawValue) == ["1", "2"])
        // Of several in one second, the shortest id.
        let together = given(
            line("w", .subscribed("10", day(0), day(30))),
            line("w", .transaction("9", day(0, 400), day(30), at: day(5))))
        #expect(together.intervals[0].transactionId == TransactionId("9"))
    }

    @Test("Overlap through a third joins all three")
    func transitive() {
        let life = given(
            line("w", .subscribed("1", day(0), day(10))),
            line("w", .transaction("2", day(20), day(30), at: day(20))),
            line("w", .transaction("3", day(5), day(25), at: day(21))))
        expectHistory(life, [Start(.subscribed, day(0)), Start(.expired, day(30))])
    }

    @Test("Two that only touch are two periods; one millisecond of overlap joins them")
    func bound() {
        func life(_ from: Timestamp) -> Lifecycle {
            given(
                line("w", .subscribed("1", day(0), day(30))),
                line("w", .didRenew("2", from, day(60))))
        }
        #expect(life(day(30)).history.map(\.at) == [day(0), day(30), day(60)])
        #expect(life(day(30, -1)).history.map(\.at) == [day(0), day(60)])
    }

    @Test("The best snapshots decide overlap, the largest end ever stated the end")
    func bestDecidesOverlap() {
        // The first transaction once stated an end on day 40; its newest snapshot states day 30.
        let life = given(
            line("w", .subscribed("1", day(0), day(40))),
            line("w", .transaction("1", day(0), day(30), at: day(1))),
            line("w", .didRenew("2", day(30), day(60))))
        #expect(life.history.map(\.at) == [day(0), day(30), day(60)])
        #expect(life.history[1].state == .renewing)
    }

    @Test("A copy restored after the end of its period is of that period", arguments: [30, 40])
    func restoredLate(_ restoredOn: Int64) {
        // A restore on a second device states each purchase with the date of the restore.
        let months = [
            line("v", .subscribed("1", day(0), day(30))),
            line("w", .didRenew("2", day(30), day(60))),
        ]
        let copies = [
            line("v", .transaction("8", day(restoredOn), day(30), at: day(restoredOn))),
            line("w", .transaction("9", day(restoredOn), day(60), at: day(restoredOn))),
        ]
        expectHistory(given(months + copies), given(months).history)
        // Receipts state the end in whole seconds.
        let moment = day(restoredOn, second)
        let exact = given(
            line("v", .subscribed("1", day(0, 254), day(30))),
            line("v", .transaction("8", moment, day(30, 254), at: moment)))
        #expect(exact.history.map(\.at) == [day(0, 254), day(30, 254)])
    }

    @Test("An empty period that one before it outlasts counts for nothing")
    func unknownCopy() {
        let renewed = line("w", .didRenew("2", day(30), day(60)))
        let failed = Fact.didFailToRenew(at: day(60), grace: day(76))
        for restoredOn in [day(40), day(65)] {
            let copy = line("v", .transaction("8", restoredOn, day(30), at: restoredOn))
            let life = given(renewed, failed, copy.priced(10_000))
            expectHistory(life, given(renewed, failed).history)
            #expect(life.standing(of: TransactionId("8"), at: day(70)) == nil)
            #expect(reported(life, .revenue)["gross"] == nil)
        }
        // What ends later, or is alone, is a period. The rank makes no difference.
        let later = given(renewed, line("v", .transaction("8", day(70), day(61), at: day(70))))
        #expect(later.history.last == Start(.expired, day(70)))
        let signed = line("v", .transaction("8", day(40), day(30), at: day(40)))
        let unsigned = renewed.trusted(.transport)
        expectHistory(given(unsigned, signed), given(unsigned).history)
        let ignored = given(renewed, signed.trusted(.transport))
        expectNotices(ignored, given(renewed).notices.map(\.code))
        // A lower rank that calls it a renewal does not make it one.
        let named = line("v", .didRenew("8", day(40), day(30))).trusted(.secret)
        expectHistory(given(renewed, signed, named), given(renewed).history)
    }

    @Test("Of a chain known from one restore, ids do not decide which copies count")
    func onlyRestored() {
        for (first, second) in [("8", "9"), ("9", "8")] {
            let past = line("v", .transaction(first, day(40), day(30), at: day(41)))
            let present = line("w", .transaction(second, day(40), day(60), at: day(41)))
            expectHistory(given(past, present), given(present).history)
            #expect(given(past, present).standing(of: TransactionId(first), at: day(45)) == nil)
        }
    }

    @Test("An empty period that SUBSCRIBED or DID_RENEW states is a purchase")
    func announced() {
        let bought = Fact.subscribed("1", day(0), day(0, 5 * minute))
        let renewed = Fact.didRenew("2", day(0, 5 * minute), day(0)).renewal {
            $0.renewalDate = day(0, 10 * minute)
        }
        let life = given(bought, renewed, environment: .sandbox)
        #expect(life.timelineEvents(.renewed).map(\.at) == [day(0, 5 * minute)])
        #expect(life.standing(of: TransactionId("2"), at: day(1)) != nil)
        let again = Fact.resubscribed("2", day(0, 6 * minute), day(0))
        let resumed = given(bought, again, environment: .sandbox)
        #expect(resumed.standing(of: TransactionId("2"), at: day(1)) != nil)
        // A body states it of the newest purchase that it names, which may be a restored copy.
        let known = [bought, Fact.didRenew("2", day(30), day(60))].map { $0.trusted(.secret) }
        var body = Fact.reported(.notificationV1, type: .didRenew, at: day(41)).trusted(.secret)
        body.transaction = .period("8", day(40), day(30))
        expectHistory(given(known + [body]), given(known).history)
    }

    @Test("A late copy of a higher rank decides whether a lower rank's purchase is refunded")
    func refundOfALateCopy() {
        let first = line("v", .transaction("1", day(0), day(30), at: day(1))).trusted(.transport)
        let failed = Fact.didFailToRenew(at: day(30), grace: day(46))
        let early = line("v", .transaction("8", day(33), day(30), at: day(33)))
        let refund = Fact.notification(.refund, "8", day(33), day(30), at: day(35))
        let inGrace = given(first, failed, early, line("v", refund.revoked(day(35))))
        #expect(inGrace.state(day(34)) == .grace)
        #expect(inGrace.state(day(36)) == .revoked)
        // It may be stated only after the end.
        let copy = line("v", .transaction("8", day(40), day(30), at: day(45)))
        let past = given(first, copy.revoked(day(9)))
        expectHistory(past, [Start(.subscribed, day(0)), Start(.revoked, day(9))])
        #expect(past.timelineEvents(.refunded).map(\.at) == [day(9)])
        // One that states no revocation denies that of the lower rank.
        let cancelled = line("v", .transaction("1", day(0), day(30), at: day(10)).revoked(day(9)))
        let denied = given(cancelled.trusted(.transport), copy)
        expectHistory(denied, given(first).history)
        #expect(denied.timelineEvents(.refunded).isEmpty)
        // It is of the purchase that was made before its revocation.
        let again = line("v", .transaction("2", day(12), day(30), at: day(12)))
        let bought = given(first, again.trusted(.transport), copy.revoked(day(9)))
        #expect(bought.history.map(\.at) == [day(0), day(9), day(12), day(30)])
    }

    @Test("A late copy of a higher rank is of the purchase, and states how much was refunded")
    func refundedPartOfALateCopy() {
        let first = line("v", .transaction("1", day(0), day(30), at: day(1))).trusted(.transport)
        let copy = line("v", .transaction("8", day(40), day(30), at: day(45)).revoked(day(9)))
        let part = copy.with { $0.signedDate = day(46) }
            .transaction { $0.revocationPercentage = 50_000 }
        let life = given(first.priced(10_000), copy, part)
        #expect(life.timelineEvents(.refunded).first?.refund?.amount?.milliunits == 5_000)
        #expect(life.standing(of: TransactionId("8"), at: day(50))?.outcome == .refunded)
        #expect(life.isOnePurchase(TransactionId("1"), TransactionId("8")))
    }

    @Test("A purchase is not rejected for a refund that a late copy of a higher rank denies")
    func deniedRefund() {
        let signed = [
            Fact.subscribed("1", day(0), day(30)), .didFailToRenew(at: day(30), grace: day(46)),
        ]
        let paid = line("w", .transaction("2", day(30), day(60), at: day(41)).revoked(day(40)))
        let copy = line("w", .transaction("8", day(70), day(60), at: day(70)))
        let rejected = given(signed + [paid.trusted(.transport)])
        #expect(rejected.standing(of: TransactionId("2"), at: day(50)) == nil)
        let life = given(signed + [paid.trusted(.transport), copy])
        #expect(life.standing(of: TransactionId("2"), at: day(50))?.outcome == .current)
        #expect(life.history.map(\.at) == [day(0), day(30), day(41), day(60)])
        // One that is revoked by then, too, confirms it.
        let confirmed = given(signed + [paid.trusted(.transport), copy.revoked(day(40))])
        #expect(confirmed.standing(of: TransactionId("2"), at: day(50)) == nil)
    }

    @Test("A copy restored after the end removes no purchase that a lower rank dates")
    func restoredFromALowerRank() {
        let first = line("v", .transaction("1", day(0), day(30), at: day(1))).trusted(.transport)
        let copy = line("v", .transaction("8", day(40), day(30), at: day(40)))
        let second = line("w", .didRenew("2", day(30), day(60)))
        for trust in [Trust.signed, .transport] {
            let known = [first.priced(10_000), second.trusted(trust)]
            let life = given(known + [copy])
            expectHistory(life, given(known).history)
            #expect(life.notices(.historyMissingBefore).isEmpty)
            #expect(life.intervals.first?.transactionId == TransactionId("1"))
        }
        let failed = Fact.didFailToRenew(at: day(30), grace: day(46)).trusted(.transport)
        let early = line("v", .transaction("8", day(33), day(30), at: day(33)))
        expectHistory(given(first, failed, early), given(first, failed).history)
    }

    @Test("A copy restored within a lower rank's period begins it until the original is signed")
    func restoredWithin() {
        let first = line("v", .transaction("1", day(0), day(30), at: day(31))).trusted(.transport)
        let second = line("w", .transaction("2", day(30), day(60), at: day(31)))
        let copy = line("w", .transaction("8", day(40), day(60), at: day(40)))
        let life = given(first, second.trusted(.transport), copy)
        #expect(life.history.map(\.at) == [day(0), day(30), day(40), day(60)])
        #expect(life.answer(day(45))?.trust == .signed)
        let known = given(first, second, copy)
        #expect(known.history.map(\.at) == given(first, second).history.map(\.at))
        #expect(known.intervals.map(\.transactionId.rawValue).contains("8") == false)
    }

    @Test("A copy dated after its revocation is of the purchase that was revoked")
    func revokedBeforeItsDate() {
        let known = [
            line("w", .subscribed("1", day(0), day(30))),
            line("w", .transaction("1", day(0), day(30), at: day(10)).revoked(day(9))),
            line("w", .resubscribed("2", day(12), day(30))),
        ]
        #expect(given(known).history.map(\.at) == [day(0), day(9), day(12), day(30)])
        for restoredOn in [day(15), day(40)] {
            let copy = Fact.transaction("3", restoredOn, day(30), at: day(45)).revoked(day(9))
            expectHistory(given(known + [line("w", copy)]), given(known).history)
        }
    }

    @Test("What is bought while a copy is revoked begins the next period")
    func boughtWhileRevoked() {
        let bought = line("w", .subscribed("1", day(0), day(30)))
        let revoked = line(
            "w", .transaction("1", day(0), day(30), at: day(10)).revoked(day(9), .familyRevoke))
        let again = line("w", .resubscribed("2", day(12), day(30)))
        let history = [
            Start(.subscribed, day(0)), Start(.revoked, day(9)), Start(.subscribed, day(12)),
            Start(.expired, day(30)),
        ]
        expectHistory(given(bought, revoked, again), history)
        // A copy restored after the end is of the purchase that ends there.
        let late = line("w", .transaction("8", day(40), day(30), at: day(40)))
        expectHistory(given(bought, revoked, again, late), history)
        expectHistory(given(bought, revoked, late), given(bought, revoked).history)
        // Another date later, or none, does not take the purchase back.
        let moved = line("w", .transaction("1", day(0), day(30), at: day(20)).revoked(day(14)))
        let kept = line("w", .transaction("1", day(0), day(30), at: day(20)))
        for (later, state) in [(moved, ChainState.renewing), (kept, .subscribed)] {
            #expect(given(bought, revoked, again, later).state(day(13)) == state)
        }
        // A history states the revocation of a copy, too.
        let copy = line("w", .transaction("2", day(12), day(30), at: day(25)).revoked(day(9)))
        expectHistory(given(bought, revoked, copy), given(bought, revoked).history)
        let before = line("w", .transaction("2", day(5), day(30), at: day(25)))
        expectHistory(given(bought, revoked, before), given(bought, revoked).history)
    }

    @Test("One reversal ends the revocation of each copy that does not state it later")
    func reversedForAll() {
        func copy(_ id: String, at signedDate: Timestamp, _ date: Timestamp? = nil) -> Fact {
            let fact = line("w", .transaction(id, day(0), day(30), at: signedDate))
            return date.map { fact.revoked($0) } ?? fact
        }
        let refunded = [
            line("w", .subscribed("1", day(0), day(30))), copy("2", at: day(5)),
            copy("1", at: day(10), day(9)), copy("2", at: day(11), day(9)),
        ]
        let reversed = given(refunded + [copy("1", at: day(12))])
        #expect(reversed.history.map(\.at) == [day(0), day(9), day(12), day(30)])
        #expect(reversed.timelineEvents.map(\.name) == [.refunded, .refundReversed])
        #expect(reversed.timelineEvents.map(\.at) == [day(9), day(12)])
        let again = copy("2", at: day(13), day(9))
        for later in [copy("1", at: day(12)), copy("1", at: day(13))] {
            let restated = given(refunded + [later, again])
            #expect(restated.history.last == Start(.revoked, day(9)))
        }
        // Its own end, then or later, changes nothing, nor does a notification of that reversal.
        for date in [day(12), day(15)] {
            let own = copy("2", at: date).with {
                $0.cause.kind = .notification
                $0.cause.notificationType = Raw(.refundReversed)
            }
            let both = given(refunded + [copy("1", at: day(12)), own])
            expectHistory(both, reversed.history)
            #expect(both.timelineEvents.map(\.at) == [day(9), day(12)])
        }
        // Another refund is not reversed by it.
        let other = refunded.dropLast() + [copy("2", at: day(11), day(8)), copy("1", at: day(12))]
        #expect(given(Array(other)).history.last == Start(.revoked, day(8)))
    }

    @Test("Attributes come from the more trusted copy, not from a newer one")
    func trustedCopy() {
        let life = given(
            line("w", .subscribed("1", day(0), day(30))),
            line("w", .transaction("2", day(1), day(30), at: day(9)).trusted(.transport)))
        #expect(life.intervals[0].transactionId == TransactionId("1"))
        #expect(life.intervals[0].from == day(0))
    }
}
