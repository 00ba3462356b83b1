import AppStore
import Ledger
import Testing

/// `Lifecycle.md` §2, "Renewal infos": a period overtakes what was decided before it.
@Suite("§2: renewal infos that a purchase or renewal overtook")
struct OvertakenRenewalTests {
    private let bought = Fact.subscribed("1", day(0), day(30))

    /// The next period, known from its transaction alone.
    private func next(
        _ reason: TransactionReason, from start: Timestamp, until end: Timestamp = day(60),
        id: String = "2", at signedDate: Timestamp? = nil
    ) -> Fact {
        .transaction(id, start, end, at: signedDate ?? start).transaction {
            $0.transactionReason = Raw(reason)
        }
    }

    @Test(
        "Auto-renew that was off is unknown since the next period began",
        arguments: [(.renewal, 30), (.purchase, 20)] as [(TransactionReason, Int64)])
    func off(_ reason: TransactionReason, _ start: Int64) throws {
        let life = given(
            bought, .autoRenew(false, at: day(10)), next(reason, from: day(start), at: day(31)))
        #expect(life.answer(day(start, -1))?.willRenew == false)
        let answer = try #require(life.answer(day(40)))
        #expect(answer.willRenew == nil && answer.cancellation == nil)
        #expect(life.answer(at: day(50), now: day(40))?.willRenew == nil)
        #expect(life.intervals.last?.reason == .unconfirmed)
        let notice = try #require(life.notices(.missingRenewalInfo).first)
        #expect(notice.from == day(start) && notice.to == nil && notice.evidence == [3])
        #expect(life.timelineEvents(.autoRenewDisabled).map(\.at) == [day(10)])
    }

    @Test("Auto-renew that was on stays on; a change of product or price is over")
    func on() throws {
        let planned = Fact.notification(.didChangeRenewalPref, .downgrade, at: day(10)).renewal {
            $0.productId = ProductId("pro.monthly")
            $0.autoRenewProductId = ProductId("lite.monthly")
            $0.autoRenewStatus = Raw(.on)
            $0.priceIncreaseStatus = Raw(.customerHasNotResponded)
        }
        let life = given(bought, planned, next(.renewal, from: day(30)))
        #expect(life.answer(day(29))?.nextProductId == ProductId("lite.monthly"))
        let answer = try #require(life.answer(day(40)))
        #expect(answer.willRenew == true && answer.evidence.contains(2))
        #expect(answer.nextProductId == nil && answer.priceIncrease == nil)
        #expect(life.notices(.missingRenewalInfo).isEmpty)
        #expect(life.notices(.renewalOverdue).map(\.from) == [day(60)])
        let over = given(
            bought, planned, next(.renewal, from: day(30)), .expired(.priceIncrease, at: day(60)))
        #expect(over.notices(.unexplainedExpiry).map(\.from) == [day(60)])
    }

    @Test("Auto-renew that was off before explains no end of the next period")
    func unexplained() {
        let life = given(
            bought, .autoRenew(false, at: day(10)), next(.renewal, from: day(30)),
            .expired(.voluntary, at: day(60)))
        #expect(life.notices(.unexplainedExpiry).map(\.from) == [day(60)])
    }

    @Test("Auto-renew turned off on the last day may be off since before the renewal")
    func stillOff() {
        let renewed = next(.renewal, from: day(30)).renewal { $0.autoRenewStatus = Raw(.off) }
        let decided = Fact.autoRenew(false, at: day(29, 12 * hour))
        for (off, expected) in [
            (decided, [day(29, 12 * hour)]),
            (.autoRenew(false, at: day(29)), [day(29)]),
            (.autoRenew(false, at: day(29, -1)), [day(29, -1), day(30)]),
        ] {
            let life = given(bought, off, renewed)
            #expect(life.answer(day(40))?.cancellation?.at == expected.last)
            #expect(life.timelineEvents(.autoRenewDisabled).map(\.at) == expected)
        }
        // A notification states that it was on until then.
        let facts = [bought, decided, next(.renewal, from: day(30))]
        let again = given(facts + [.autoRenew(false, at: day(45))])
        #expect(again.answer(day(50))?.cancellation?.at == day(45))
        #expect(
            again.timelineEvents(.autoRenewDisabled).map(\.at) == [day(29, 12 * hour), day(45)])
    }

    @Test("A decision that is the first statement of its period is a new one")
    func firstStatement() {
        let early = Fact.autoRenew(false, at: day(10))
        func off(_ id: String, _ start: Timestamp, _ end: Timestamp, at: Timestamp) -> Fact {
            .notification(
                .didChangeRenewalStatus, id, start, end, at: at, subtype: .autoRenewDisabled
            )
            .transaction { $0.transactionReason = Raw(.renewal) }
            .renewal { $0.autoRenewStatus = Raw(.off) }
        }
        let second = off("2", day(30), day(60), at: day(45))
        let third = off("3", day(60), day(90), at: day(70))
        let renewed = next(.renewal, from: day(30), at: day(31))
        for (facts, at) in [([second], day(45)), ([renewed, third], day(70))] {
            let life = given([bought, early] + facts)
            #expect(life.answer(at)?.cancellation?.at == at)
            #expect(life.timelineEvents(.autoRenewDisabled).map(\.at) == [day(10), at])
        }
    }

    @Test("A renewal info that states no auto-renew status leaves the decision to be made again")
    func statusless() {
        let life = given(
            bought, .autoRenew(false, at: day(10)), next(.renewal, from: day(30), at: day(31)),
            .notification(.priceIncrease, at: day(40)).renewal { $0.autoRenewStatus = nil },
            .autoRenew(false, at: day(45)))
        #expect(life.timelineEvents(.autoRenewDisabled).map(\.at) == [day(10), day(45)])
        #expect(life.answer(day(50))?.cancellation?.at == day(45))
    }

    @Test("Off in the first statement of the period, and later a notification of it: one decision")
    func restated() {
        let renewed = next(.renewal, from: day(30)).renewal { $0.autoRenewStatus = Raw(.off) }
        let decided = Fact.autoRenew(false, at: day(29, 12 * hour))
        let off = given(bought, decided, renewed, .autoRenew(false, at: day(45)))
        #expect(off.answer(day(50))?.cancellation?.at == day(29, 12 * hour))
        #expect(off.timelineEvents(.autoRenewDisabled).map(\.at) == [day(29, 12 * hour)])
    }

    @Test("A change of product that is stated again after a period is scheduled again")
    func scheduledAgain() {
        func planned(_ next: String, at signedDate: Timestamp) -> Fact {
            .notification(.didChangeRenewalPref, .downgrade, at: signedDate).renewal {
                $0.productId = ProductId("pro.monthly")
                $0.autoRenewProductId = ProductId(next)
                $0.autoRenewStatus = Raw(.on)
            }
        }
        let facts = [
            bought, planned("lite.monthly", at: day(10)), planned("lite.monthly", at: day(20)),
            next(.renewal, from: day(30)),
        ]
        let again = given(facts + [planned("lite.monthly", at: day(45))])
        #expect(again.timelineEvents(.productChangeScheduled).map(\.at) == [day(10), day(45)])
        #expect(again.timelineEvents(.productChangeCancelled).isEmpty)
        let ended = given(facts + [planned("pro.monthly", at: day(45))])
        #expect(ended.timelineEvents(.productChangeCancelled).map(\.at) == [day(45)])
    }

    @Test("A decision after a renewal that was signed early applies to it, one before does not")
    func signedEarly() {
        for (signed, expected) in [(22 * hour, false), (19 * hour, nil)] as [(Int64, Bool?)] {
            let early = next(.renewal, from: day(30, 12 * hour), at: day(29, 20 * hour))
            let decided = Fact.autoRenew(false, at: day(29, signed))
            let life = given(.subscribed("1", day(0), day(30, 12 * hour)), decided, early)
            #expect(life.answer(day(30, 11 * hour))?.willRenew == false)
            #expect(life.answer(day(40))?.willRenew == expected)
        }
    }

    @Test("A further billing period of a commitment keeps what was decided; a new one does not")
    func commitment() {
        func committed(_ fact: Fact, _ number: Int64) -> Fact {
            fact.transaction {
                $0.commitment = .init(billingPeriodNumber: number, totalBillingPeriods: 12)
            }
        }
        let decided = Fact.autoRenew(true, at: day(10)).renewal {
            $0.commitment = .init(autoRenewStatus: Raw(.off))
        }
        let first = committed(bought, 4)
        let further = committed(next(.renewal, from: day(30)), 5)
        let life = given(first, decided, further)
        #expect(life.answer(day(40))?.commitment?.willRenew == false)
        let new = committed(next(.purchase, from: day(40), until: day(70), id: "3"), 1)
        let renewed = committed(next(.renewal, from: day(70), until: day(100), id: "4"), 2)
        let unpreceded = committed(next(.renewal, from: day(60), until: day(90), id: "5"), 3)
        // A commitment whose first billing period is not known is a new one, too.
        for facts in [[new], [new, renewed], [unpreceded]] {
            let bought = given([first, decided, further] + facts)
            #expect(bought.answer(day(80))?.commitment?.willRenew == nil)
            #expect(bought.answer(day(80))?.willRenew == true)
        }
    }
}
