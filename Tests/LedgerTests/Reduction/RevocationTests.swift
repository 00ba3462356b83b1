import AppStore
import Ledger
import Testing

/// `Lifecycle.md` §2 rules 3 and 6.
@Suite("Rules 3 and 6: revocation spans and the governing period")
struct RevocationTests {
    private let bought = Fact.subscribed("1", day(0), day(30))

    private func said(_ signedDate: Timestamp, _ revocation: Timestamp?) -> Fact {
        let fact = Fact.transaction("1", day(0), day(30), at: signedDate)
        return revocation.map { fact.revoked($0) } ?? fact
    }

    @Test("A refund revokes from its revocationDate without end, past the period's own end")
    func refund() {
        let life = given(bought, said(day(10), day(9)))
        #expect(life.history == [Start(.subscribed, day(0)), Start(.revoked, day(9))])
        #expect(life.intervals.last?.to == nil)
        #expect(life.state(day(400)) == .revoked)
    }

    @Test("A later snapshot without the date closes the span at its signedDate")
    func reversed() {
        #expect(
            given(bought, said(day(10), day(9)), said(day(12), nil)).history == [
                Start(.subscribed, day(0)), Start(.revoked, day(9)), Start(.subscribed, day(12)),
                Start(.expired, day(30)),
            ])
    }

    @Test("Reversed after the period's end: revoked until then, expired from then")
    func reversedLate() {
        #expect(
            given(bought, said(day(10), day(9)), said(day(40), nil)).history == [
                Start(.subscribed, day(0)), Start(.revoked, day(9)), Start(.expired, day(40)),
            ])
    }

    @Test("A later snapshot with another date replaces the span")
    func replaced() {
        #expect(
            given(bought, said(day(10), day(9)), said(day(11), day(5))).history == [
                Start(.subscribed, day(0)), Start(.revoked, day(5)),
            ])
        #expect(
            given(bought, said(day(10), day(5)), said(day(11), day(9))).history == [
                Start(.subscribed, day(0)), Start(.revoked, day(9)),
            ])
    }

    @Test("Revoked, reversed and revoked again: two spans")
    func twice() {
        #expect(
            given(
                bought, said(day(5), day(4)), said(day(6), nil), said(day(9), day(8))
            ).history == [
                Start(.subscribed, day(0)), Start(.revoked, day(4)), Start(.subscribed, day(6)),
                Start(.revoked, day(8)),
            ])
    }

    @Test("In one millisecond the snapshot with a revocationDate is the later one")
    func sameMillisecond() {
        let life = given(bought, said(day(10), day(9)).digest(1), said(day(10), nil).digest(2))
        #expect(life.history == [Start(.subscribed, day(0)), Start(.revoked, day(9))])
    }

    @Test("A reversal signed before the revocationDate leaves nothing revoked")
    func emptySpan() {
        #expect(
            given(bought, said(day(10), day(20)), said(day(15), nil)).history
                == given(bought).history)
    }

    @Test("A refund dated before the purchase revokes the whole period; one after its end the rest")
    func outside() {
        #expect(given(bought, said(day(10), day(-9))).history == [Start(.revoked, day(0))])
        #expect(
            given(bought, said(day(50), day(45))).history == [
                Start(.subscribed, day(0)), Start(.expired, day(30)), Start(.revoked, day(45)),
            ])
    }

    @Test("An upgraded transaction counts as one without revocationDate")
    func upgraded() {
        let upgraded = said(day(10), day(10)).transaction { $0.isUpgraded = true }
        let life = given(bought, upgraded, .didRenew("2", day(10), day(40)))
        #expect(
            life.history == [
                Start(.subscribed, day(0)), Start(.renewing, day(10)), Start(.expired, day(40)),
            ])
        #expect(life.timelineEvents(.refunded).isEmpty)
    }

    @Test("The refund of an old period while a new one runs changes no state, but is a fact")
    func oldPeriod() {
        let renewed = Fact.didRenew("2", day(30), day(60))
        let life = given(bought, renewed, said(day(40), day(35)))
        #expect(life.history == given(bought, renewed).history)
        #expect(life.timelineEvents(.refunded).map(\.at) == [day(35)])
    }

    @Test("A refund inside an old period revokes it until the next one governs")
    func untilNext() {
        let life = given(bought, said(day(40), day(20)), .didRenew("2", day(30), day(60)))
        #expect(
            life.history == [
                Start(.subscribed, day(0)), Start(.revoked, day(20)), Start(.renewing, day(30)),
                Start(.expired, day(60)),
            ])
    }

    @Test("A refund of one transaction does not affect an overlapping one")
    func governing() {
        let life = given(
            bought, .didRenew("2", day(10), day(40)), said(day(20), day(15)))
        #expect(
            life.history == [
                Start(.subscribed, day(0)), Start(.renewing, day(10)), Start(.expired, day(40)),
            ])
    }

    @Test("A purchase after a revocation is a new subscription")
    func boughtAgain() {
        let life = given(bought, said(day(10), day(9)), .resubscribed("2", day(12), day(42)))
        #expect(
            life.history == [
                Start(.subscribed, day(0)), Start(.revoked, day(9)), Start(.subscribed, day(12)),
                Start(.expired, day(42)),
            ])
    }

    @Test("Family access revoked and shared again")
    func family() {
        let life = given(
            bought, said(day(10), day(9)).revoked(day(9), .familyRevoke), said(day(12), nil))
        #expect(
            life.history.map(\.state) == [.subscribed, .revoked, .subscribed, .expired])
        #expect(life.transitions.map(\.reason) == [nil, .familyRevoke, nil, .unconfirmed])
    }

    @Test("A revoked family copy is no refund, whatever type is stated, and without REVOKE")
    func familyCopy() {
        func copy(_ fact: Fact) -> Fact {
            fact.transaction { $0.inAppOwnershipType = Raw(.familyShared) }
        }
        for revoked in [
            said(day(10), day(9)), said(day(10), day(9)).transaction { $0.revocationType = nil },
            Fact.notification(.refund, "1", day(0), day(30), at: day(10)).revoked(day(9)),
        ] {
            let life = given(copy(bought), copy(revoked))
            #expect(life.history == [Start(.subscribed, day(0)), Start(.revoked, day(9))])
            #expect(life.answer(day(10))?.endReason == .familyRevoke)
            #expect(life.timelineEvents(.refunded).isEmpty)
            #expect(life.standing(of: TransactionId("1"), at: day(10))?.outcome == .familyRevoked)
            // The same statement about the purchaser's own transaction is a refund.
            let own = given(bought, revoked)
            #expect(own.answer(day(10))?.endReason == .refund)
            #expect(own.timelineEvents(.refunded).count == 1)
        }
    }

    @Test("A copy revoked between the early statement of its renewal and the renewal ends at once")
    func copyBeforeRenewal() {
        let (revoked, end) = (day(30, -5 * hour), day(30))
        func life(
            _ ownership: InAppOwnershipType, _ type: RevocationType, trust: Trust = .signed,
            _ more: [Fact] = []
        ) -> Lifecycle {
            let renewed = Fact.didRenew("2", end, day(60), at: day(30, -10 * hour))
            let revoke = Fact.notification(.revoke, "2", end, day(60), at: revoked)
                .revoked(revoked, type).with { $0.status = Raw(.revoked) }
            let about = [renewed, revoke].map { $0.trusted(trust) }
            return given(
                ([bought] + about + more).map { fact in
                    fact.transaction { $0.inAppOwnershipType = Raw(ownership) }
                })
        }
        let copies = [
            (life(.familyShared, .familyRevoke), EndReason.familyRevoke),
            (life(.assigned, .assignmentRevoke), .other),
        ]
        for (copy, reason) in copies {
            #expect(
                copy.history == [
                    Start(.subscribed, day(0)), Start(.revoked, revoked), Start(.revoked, end),
                ])
            #expect(copy.answer(day(30, -hour))?.endReason == reason)
            #expect(copy.notices(.contradiction).isEmpty)
        }
        let restated = Fact.didRenew("2", end, day(60), at: day(30, -2 * hour))
        #expect(
            life(.familyShared, .familyRevoke, [restated]).history == [
                Start(.subscribed, day(0)), Start(.revoked, revoked),
                Start(.subscribed, day(30, -2 * hour)), Start(.renewing, end),
                Start(.expired, day(60)),
            ])
        // A lower rank ends no access that a higher one states.
        #expect(
            life(.familyShared, .familyRevoke, trust: .secret).state(day(30, -hour))
                == .subscribed)
    }

    @Test("A refund of a renewal, or a revoke after the end, does not revoke the period before")
    func renewalAlone() {
        let refund = Fact.notification(.refund, "2", day(30), day(60), at: day(29)).revoked(day(29))
        let life = given(bought, .didRenew("2", day(30), day(60), at: day(29)), refund)
        #expect(life.history == [Start(.subscribed, day(0)), Start(.revoked, day(30))])
        let later = Fact.resubscribed("2", day(40), day(70)).revoked(day(35), .familyRevoke)
        #expect(
            given(bought, later).history == [
                Start(.subscribed, day(0)), Start(.expired, day(30)), Start(.revoked, day(40)),
            ])
    }

    @Test("A refund of a renewal with which the history starts counts from its purchaseDate")
    func adoptedRenewal() {
        let (stated, refunded, start) = (day(30, -10 * hour), day(30, -5 * hour), day(30))
        let renewed = Fact.didRenew("2", start, day(60), at: stated)
        let refund = Fact.notification(.refund, "2", start, day(60), at: refunded)
            .transaction { $0.transactionReason = Raw(.renewal) }
            .revoked(refunded).with { $0.status = Raw(.active) }
        let life = given(renewed, refund)
        #expect(life.history == [Start(.renewing, stated), Start(.revoked, start)])
        #expect(life.answer(day(30, -1))?.revocation == nil)
        #expect(life.answer(start)?.revocation != nil)
        #expect(life.timelineEvents(.refunded).map(\.at) == [refunded])
        #expect(life.notices(.contradiction).isEmpty)
        let outcome = life.standing(of: TransactionId("2"), at: refunded)?.outcome
        #expect(outcome == .refunded)
        // Reversed before it begins, it revokes nothing.
        let restated = Fact.didRenew("2", start, day(60), at: day(30, -2 * hour))
        #expect(
            given(renewed, refund, restated).history == [
                Start(.renewing, stated), Start(.expired, day(60)),
            ])
        // A copy ends at once.
        let copy = given(
            [renewed, refund].map { fact in
                fact.transaction { $0.inAppOwnershipType = Raw(.familyShared) }
            })
        #expect(copy.history == [Start(.renewing, stated), Start(.revoked, refunded)])
    }

    @Test("A withdrawn assigned copy is no refund and no family revoke, by any channel")
    func assigned() {
        func seat(_ fact: Fact) -> Fact {
            fact.transaction { $0.inAppOwnershipType = Raw(.assigned) }
        }
        func notified(_ type: NotificationType) -> Fact {
            .notification(type, "1", day(0), day(30), at: day(10))
        }
        for withdrawn in [
            seat(said(day(10), day(9)).transaction { $0.revocationType = nil }),
            seat(notified(.revoke).transaction { $0.revocationDate = day(9) }),
            notified(.revoke).revoked(day(9), .assignmentRevoke),
            seat(notified(.refund).revoked(day(9))),
        ] {
            let life = given(seat(bought), withdrawn)
            #expect(life.history == [Start(.subscribed, day(0)), Start(.revoked, day(9))])
            #expect(life.answer(day(10))?.endReason == .other)
            #expect(life.timelineEvents(.refunded).isEmpty)
            let standing = life.standing(of: TransactionId("1"), at: day(10))
            #expect(standing?.outcome == .ended && standing?.since == day(9))
            #expect(standing?.amount == nil)
        }
    }
}
