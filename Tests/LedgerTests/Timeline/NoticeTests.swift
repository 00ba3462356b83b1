import AppStore
import Ledger
import Testing

/// `Lifecycle.md` §4: missing evidence.
@Suite("§4: notices about missing evidence")
struct NoticeTests {
    private let bought = Fact.subscribed("1", day(0), day(30))
    private let on = Fact.autoRenew(true, at: day(5))

    @Test("renewalOverdue: from the end on, while auto-renew was on and nothing else is known")
    func overdue() {
        let life = given(bought, on)
        expectNotices(life, [.renewalOverdue])
        #expect(life.notices.map(\.evidence) == [[1, 2]])
        #expect(life.answer(day(30, -1))?.notices.isEmpty == true)
        #expect(life.answer(day(30))?.notices.map(\.code) == [.renewalOverdue])
        #expect(life.state(day(30)) == .expired)
    }

    @Test("Not overdue: off, unknown, failed, over, renewed or revoked")
    func notOverdue() {
        for fact in [
            .autoRenew(false, at: day(6)), .didFailToRenew(at: day(30)), .expired(at: day(30)),
            .status(.expired, at: day(31)), .didRenew("2", day(30), day(60)),
            .transaction("1", day(0), day(30), at: day(10)).revoked(day(9)),
        ] as [Fact] {
            let notices = given(bought, on, fact).notices(.renewalOverdue)
            #expect(notices.allSatisfy { $0.from == day(60) }, "\(fact.cause)")
        }
        expectNotices(given(bought), [])
    }

    @Test("A failure signed before the window does not remove it; one at its bound does")
    func overdueWindow() {
        func codes(_ signedDate: Timestamp) -> [NoticeCode] {
            given(bought, on, .notification(.didFailToRenew, at: signedDate)).notices.map(\.code)
        }
        #expect(codes(day(29)) == [])
        #expect(codes(day(29, -1)) == [.renewalOverdue])
    }

    @Test("missingPeriod: a RENEWAL after an unexplained gap")
    func missing() {
        let life = given(bought, .didRenew("2", day(30, 1), day(60)))
        expectNotices(life, [.missingPeriod])
        #expect(life.notices.map(\.from) == [day(30)])
        #expect(life.notices.map(\.evidence) == [[1, 2]])
        #expect(life.notices.map { $0.period?.from } == [day(30)])
        #expect(life.notices.map { $0.period?.to } == [day(30, 1)])
        #expect(life.answer(day(30))?.notices.first?.period?.contains(day(30)) == true)
        expectNotices(given(bought, .didRenew("2", day(30), day(60))), [])
        // Payloads before 2023-06 have no reason: the notification names the renewal.
        let unnamed = Fact.didRenew("2", day(30, 1), day(60)).transaction {
            $0.transactionReason = nil
        }
        expectNotices(given(bought, unnamed), [.missingPeriod])
    }

    @Test("Explained gaps: a failure, a recovery, a purchase")
    func explained() {
        let renewal = Fact.didRenew("2", day(40), day(70))
        #expect(
            given(bought, .didFailToRenew(at: day(30)), renewal).notices(.missingPeriod).isEmpty)
        expectNotices(given(bought, .didRenew("2", day(40), day(70), .billingRecovery)), [])
        expectNotices(given(bought, .resubscribed("2", day(40), day(70))), [])
    }

    @Test(
        "Outside Production a gap of five minutes is tolerated, one millisecond more is not",
        arguments: [Environment.sandbox, .xcode, .localTesting])
    func sandboxGap(_ environment: Environment) {
        func codes(_ gap: Int64) -> [NoticeCode] {
            given(
                bought, .didRenew("2", day(30, gap), day(60)), environment: environment
            ).notices.map(\.code)
        }
        #expect(codes(NoticeLimits.sandboxGapMilliseconds) == [])
        #expect(codes(NoticeLimits.sandboxGapMilliseconds + 1) == [.missingPeriod])
        #expect(NoticeLimits.sandboxGapMilliseconds == 5 * minute)
    }

    @Test("missingPeriod: an upgraded period whose successor is unknown")
    func successor() {
        let upgraded = bought.transaction { $0.isUpgraded = true }
        expectNotices(given(upgraded), [.missingPeriod])
        #expect(given(upgraded).history.last == Start(.expired, day(30)))
        expectNotices(given(upgraded, .resubscribed("2", day(10), day(40))), [])
        expectNotices(given(upgraded, .resubscribed("2", day(30), day(60))), [])
        expectNotices(given(upgraded, .resubscribed("2", day(30, 1), day(60))), [.missingPeriod])
    }

    @Test("missingPeriod: none where grace or retry leads from an upgraded period to the next")
    func successorAfterFailure() {
        let upgraded = bought.transaction { $0.isUpgraded = true }
        let next = Fact.resubscribed("2", day(35), day(65))
        for grace in [day(46), nil] {
            let failed = Fact.didFailToRenew(at: day(30), grace: grace)
            #expect(given(upgraded, failed, next).notices(.missingPeriod).isEmpty)
            let over = given(upgraded, failed, .expired(.billingRetry, at: day(33)), next)
            #expect(over.notices(.missingPeriod).map { $0.period?.to } == [day(35)])
        }
    }

    @Test("unexplainedExpiry: EXPIRED with neither auto-renew off nor a failure before")
    func unexplained() {
        let renewed = Fact.didRenew("2", day(30), day(60)).renewal { $0.autoRenewStatus = Raw(.on) }
        let expired = Fact.expired(.billingRetry, at: day(60))
        expectNotices(given(bought, renewed, expired), [.unexplainedExpiry])
        #expect(given(bought, renewed, expired).notices.map(\.evidence) == [[3]])
        expectNotices(given(bought, renewed, .autoRenew(false, at: day(50)), expired), [])
        expectNotices(
            given(
                bought, renewed, .didFailToRenew(at: day(60)),
                .expired(.billingRetry, at: day(61))
            ), [])
        // Turned on again: the earlier off explains nothing.
        let again = given(
            bought, renewed, .autoRenew(false, at: day(50)), .autoRenew(true, at: day(51)), expired)
        expectNotices(again, [.unexplainedExpiry])
        // Its message is true of that, and where auto-renew was never stated.
        let message =
            "The subscription expired, although auto-renew was not known to be off before and no"
            + " billing failure was reported: a notification is missing."
        #expect(again.notices.map(\.message) == [message])
        let unstated = given(bought, expired).notices(.unexplainedExpiry)
        #expect(unstated.map(\.message) == [message])
        // A statement that came with the EXPIRED explains nothing.
        let own = given(bought, renewed, expired.renewal { $0.autoRenewStatus = Raw(.off) })
        expectNotices(own, [.unexplainedExpiry])
    }

    @Test("historyMissingBefore: the first known period is a RENEWAL, or starts too late")
    func historyBefore() {
        func codes(_ fact: Fact, originally: Timestamp?) -> [NoticeCode] {
            given(fact.transaction { $0.originalPurchaseDate = originally }).notices.map(\.code)
        }
        let renewal = Fact.didRenew("2", day(0), day(30))
        #expect(codes(renewal, originally: day(0)) == [.historyMissingBefore])
        #expect(codes(renewal, originally: nil) == [.historyMissingBefore])
        let purchase = Fact.resubscribed("2", day(0), day(30))
        #expect(codes(purchase, originally: nil) == [])
        #expect(codes(purchase, originally: day(0, -minute)) == [])
        #expect(codes(purchase, originally: day(0, -minute - 1)) == [.historyMissingBefore])
        // The chain's own first transaction is its first, whatever its dates.
        #expect(codes(.subscribed("1", day(0), day(30)), originally: day(-90)) == [])
    }

    @Test("historyMissingBefore disappears when the first transaction is known")
    func historyFound() {
        let renewal = Fact.didRenew("2", day(30), day(60))
        expectNotices(given(renewal), [.historyMissingBefore])
        expectNotices(given(renewal, bought), [])
    }
}
