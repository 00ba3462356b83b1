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

    @Test("An upgrade ends the period: kept from then on, whatever its own end was")
    func upgraded() {
        let facts = [
            Fact.subscribed("1", day(0), day(365)),
            .notification(.didChangeRenewalPref, "2", day(10), day(40), subtype: .upgrade),
        ]
        #expect(given(facts).result(day(5), now: day(10, -1)) == .open)
        #expect(given(facts).result(day(5), now: day(10)) == .kept)
        let ended = given(facts + [.expired(at: day(40))])
        #expect(ended.result(day(5), now: day(400)) == .kept)
        #expect(ended.result(day(20), now: day(400)) == .lost)
    }

    @Test("A revocation ends the period, unless it was reversed before the period's own end")
    func revoked() {
        let bought = Fact.subscribed("1", day(0), day(30))
        let revoked = Fact.notification(.revoke, "1", day(0), day(30), at: day(9))
            .revoked(day(9), .familyRevoke)
        let lost = given(bought, revoked)
        #expect(lost.result(day(5), now: day(9, -1)) == .open)
        #expect(lost.result(day(5), now: day(9)) == .lost)
        #expect(lost.result(day(9), now: day(9)) == .lost)
        let again = given(bought, revoked, .resubscribed("2", day(12), day(42)))
        #expect(again.result(day(5), now: day(60)) == .lost)
        let restored = Fact.notification(.refundReversed, "1", day(0), day(30), at: day(12))
        let kept = given(bought, revoked, restored, .didRenew("2", day(30), day(60)))
        #expect(kept.result(day(5), now: day(29)) == .open)
        #expect(kept.result(day(5), now: day(30)) == .kept)
    }

    @Test("A message about a one-time purchase has no result")
    func oneTime() {
        func bought(at time: Timestamp) -> Fact {
            Fact.notification(.oneTimeCharge, "1", day(0), day(0), at: time).transaction {
                $0.type = Raw(.nonConsumable)
                $0.expiresDate = nil
            }
        }
        let life = given(bought(at: day(0)), bought(at: day(9)).revoked(day(8)))
        #expect(life.result(day(5), now: day(20)) == .open)
    }

    @Test(
        "Grace and billing retry leave the result open until it is decided",
        arguments: [day(36), nil] as [Timestamp?])
    func retried(grace: Timestamp?) {
        let failing = [
            Fact.subscribed("1", day(0), day(30)), .didFailToRenew(at: day(30), grace: grace),
        ]
        #expect(given(failing).result(day(10), now: day(31)) == .open)
        #expect(given(failing).result(day(10), now: day(37)) == .open)
        let recovered = given(failing + [.didRenew("2", day(33), day(63), .billingRecovery)])
        #expect(recovered.result(day(10), now: day(34)) == .kept)
        let over = given(failing + [.expired(.billingRetry, at: day(50))])
        #expect(over.result(day(10), now: day(49)) == .open)
        #expect(over.result(day(10), now: day(50)) == .lost)
    }

    @Test(
        "Grace and billing retry after a renewal that ends as it begins leave it open, too",
        arguments: [day(36), nil] as [Timestamp?])
    func emptyRenewal(grace: Timestamp?) {
        let life = given(
            .subscribed("1", day(0), day(30)), .didRenew("2", day(30), day(30)),
            .didFailToRenew(at: day(30, 1), grace: grace))
        #expect(life.result(day(10), now: day(31)) == .open)
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
