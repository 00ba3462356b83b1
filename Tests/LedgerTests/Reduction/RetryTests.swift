import AppStore
import Ledger
import Testing

/// `Lifecycle.md` §2 rule 5: billing retry, its exit X and its cap.
@Suite("Rule 5: billing retry and its end")
struct RetryTests {
    private let bought = Fact.subscribed("1", day(0), day(30))
    private let failed = Fact.didFailToRenew(at: day(30))

    private func end(_ facts: Fact..., environment: Environment = .production) -> Start? {
        given([bought, failed] + facts, environment: environment).history.last
    }

    @Test("Retry lasts 60 days after the end, 90 on a monthly plan")
    func cap() {
        #expect(end() == Start(.expired, day(90)))
        let monthly = bought.transaction { $0.billingPlanType = Raw(.monthly) }
        #expect(given(monthly, failed).history.last == Start(.expired, day(120)))
        let upfront = bought.transaction { $0.billingPlanType = Raw(.billedUpfront) }
        #expect(given(upfront, failed).history.last == Start(.expired, day(90)))
    }

    @Test(
        "Outside Production retry lasts twice the period",
        arguments: [Environment.sandbox, .xcode, .localTesting])
    func sandboxCap(_ environment: Environment) {
        let life = given(
            .subscribed("1", day(0), day(0, hour)), .didFailToRenew(at: day(0, hour)),
            environment: environment)
        #expect(life.history.last == Start(.expired, day(0, 3 * hour)))
        let empty = given(
            .subscribed("1", day(0), day(-1)), .didFailToRenew(at: day(0)), environment: environment
        )
        expectHistory(empty, [Start(.expired, day(0))])
    }

    @Test("A newer failing fact lengthens the cap")
    func newestFailing() {
        #expect(end(.status(.billingRetry, at: day(90))) == Start(.expired, day(90)))
        #expect(end(.status(.billingRetry, at: day(90, 1))) == Start(.expired, day(90, 1)))
        #expect(end(.status(.billingRetry, at: day(100))) == Start(.expired, day(100)))
    }

    @Test("An over fact before the end takes effect at the end")
    func neverBeforeEnd() {
        let early = Fact.didFailToRenew(at: day(29, 10 * hour))
        let life = given(bought, early, .expired(at: day(29, 20 * hour)))
        expectHistory(life, [Start(.subscribed, day(0)), Start(.expired, day(30))])
    }

    @Test("A recovery after a stated end: retry until the end, expired until the recovery")
    func recoveredAfterEnd() {
        let life = given(
            bought, .status(.expired, at: day(40)),
            .didRenew("2", day(45), day(75), .billingRecovery))
        expectHistory(
            life,
            [
                Start(.subscribed, day(0)), Start(.billingRetry, day(30)), Start(.expired, day(40)),
                Start(.renewing, day(45)), Start(.expired, day(75)),
            ])
    }

    @Test("A recovery exactly at the end leaves no retry")
    func recoveredAtOnce() {
        let life = given(bought, .didRenew("2", day(30), day(60), .billingRecovery))
        #expect(life.history.map(\.state) == [.subscribed, .renewing, .expired])
    }

    @Test("The cause of an end is the fact that stated it, or its date")
    func cause() {
        #expect(given(bought, failed).transitions.map(\.cause) == [1, 2, 1])
        #expect(
            given(bought, failed, .expired(.billingRetry, at: day(60))).transitions.map(\.cause)
                == [1, 2, 3])
        #expect(given(bought, .expired(at: day(30))).transitions.map(\.cause) == [1, 2])
    }
}
