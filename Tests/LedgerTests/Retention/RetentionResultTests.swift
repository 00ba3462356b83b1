import AppStore
import Ledger
import Testing

@Suite("Results of retention messages")
struct RetentionResultTests {
    @Test("Nothing is known of a time before the first period, or before the period's end")
    func open() {
        let life = given(.subscribed("1", day(0), day(30)))
        #expect(life.result(day(-1), now: day(60)) == .open)
        #expect(life.result(day(10), now: day(29)) == .open)
    }

    @Test("A subscription that expires is lost, one that renews is kept")
    func decided() {
        let lost = given(
            .subscribed("1", day(0), day(30)), .autoRenew(false, at: day(10)),
            .expired(at: day(30)))
        #expect(lost.result(day(10), now: day(30)) == .lost)
        let kept = given(.subscribed("1", day(0), day(30)), .didRenew("2", day(30), day(60)))
        #expect(kept.result(day(10), now: day(30)) == .kept)
        #expect(kept.result(day(40), now: day(50)) == .open)
    }

    @Test("Billing retry leaves the result open until it is decided")
    func retried() {
        let failing = [
            Fact.subscribed("1", day(0), day(30)), .didFailToRenew(at: day(30)),
        ]
        #expect(given(failing).result(day(10), now: day(31)) == .open)
        let recovered = given(failing + [.didRenew("2", day(33), day(63), .billingRecovery)])
        #expect(recovered.result(day(10), now: day(34)) == .kept)
    }

    @Test("A renewal that is only late leaves the result open, until the leeway is over")
    func late() {
        let life = given(.subscribed("1", day(0), day(30)))
        let end = day(30).advanced(byMilliseconds: Catalogue.defaultLeewayMilliseconds)
        #expect(life.result(day(10), now: day(30)) == .open)
        #expect(life.result(day(10), now: end.advanced(byMilliseconds: -1)) == .open)
        #expect(life.result(day(10), now: end) == .lost)
    }
}

extension Lifecycle {
    fileprivate func result(_ time: Timestamp, now: Timestamp) -> RetentionResult {
        retentionResult(
            ofMessageAt: time, now: now, leeway: Catalogue.defaultLeewayMilliseconds)
    }
}
