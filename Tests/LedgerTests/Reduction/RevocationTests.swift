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

    @Test("A later date replaces the span, and one reversed before it begins is none")
    func dates() {
        let (paid, over) = (Start(.subscribed, day(0)), Start(.expired, day(30)))
        let cases: [(facts: [Fact], history: [Start])] = [
            ([said(day(10), day(9)), said(day(11), day(5))], [paid, Start(.revoked, day(5))]),
            ([said(day(10), day(5)), said(day(11), day(9))], [paid, Start(.revoked, day(9))]),
            ([said(day(10), day(20)), said(day(15), nil)], [paid, over]),
            // Before the purchase it is all of the period, after the end what follows.
            ([said(day(10), day(-9))], [Start(.revoked, day(0))]),
            ([said(day(50), day(45))], [paid, over, Start(.revoked, day(45))]),
        ]
        for (facts, history) in cases { expectHistory(given([bought] + facts), history) }
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
            expectHistory(life, [Start(.subscribed, day(0)), Start(.revoked, day(9))])
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
            expectHistory(
                copy,
                [
                    Start(.subscribed, day(0)), Start(.revoked, revoked), Start(.revoked, end),
                ])
            #expect(copy.answer(day(30, -hour))?.endReason == reason)
            #expect(copy.notices(.contradiction).isEmpty)
        }
        let restated = Fact.didRenew("2", end, day(60), at: day(30, -2 * hour))
        expectHistory(
            life(.familyShared, .familyRevoke, [restated]),
            [
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
        expectHistory(life, [Start(.subscribed, day(0)), Start(.revoked, day(30))])
        let later = Fact.resubscribed("2", day(40), day(70)).revoked(day(35), .familyRevoke)
        expectHistory(
            given(bought, later),
            [
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
        expectHistory(life, [Start(.renewing, stated), Start(.revoked, start)])
        #expect(life.answer(day(30, -1))?.revocation == nil)
        #expect(life.answer(start)?.revocation != nil)
        #expect(life.timelineEvents(.refunded).map(\.at) == [refunded])
        #expect(life.notices(.contradiction).isEmpty)
        let outcome = life.standing(of: TransactionId("2"), at: refunded)?.outcome
        #expect(outcome == .refunded)
        // Reversed before it begins, it revokes nothing.
        let restated = Fact.didRenew("2", start, day(60), at: day(30, -2 * hour))
        expectHistory(
            given(renewed, refund, restated),
            [
                Start(.renewing, stated), Start(.expired, day(60)),
            ])
        // A copy ends at once.
        let copy = given(
            [renewed, refund].map { fact in
                fact.transaction { $0.inAppOwnershipType = Raw(.familyShared) }
            })
        expectHistory(copy, [Start(.renewing, stated), Start(.revoked, refunded)])
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
            expectHistory(life, [Start(.subscribed, day(0)), Start(.revoked, day(9))])
            #expect(life.answer(day(10))?.endReason == .other)
            #expect(life.timelineEvents(.refunded).isEmpty)
            let standing = life.standing(of: TransactionId("1"), at: day(10))
            #expect(standing?.outcome == .ended && standing?.since == day(9))
            #expect(standing?.amount == nil)
        }
    }
}
