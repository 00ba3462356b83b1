import AppStore
import Ledger
import Testing

/// What only a lower rank tells of is not believed, and never passed over in silence
/// (`Ledger.docc`, Original StoreKit).
@Suite("Refunds and failed payments of a lower rank")
struct LowerRankNoticeTests {
    private let bought = Fact.subscribed("1", day(0), day(30))

    private func versionOne(
        _ type: NotificationType, _ id: String = "1", at signedDate: Timestamp
    ) -> Fact {
        var fact = Fact.told(.notificationV1, type: type, at: signedDate).trusted(.secret)
        fact.transaction = .period(id, day(0), day(30))
        return fact
    }

    private func codes(_ life: Lifecycle) -> [NoticeCode] {
        life.notices.map(\.code).filter { $0 == .contradiction || $0 == .unconfirmedStatement }
    }

    // MARK: Refunds that are not told

    @Test(
        "What a higher rank says of the refund as well is no notice",
        arguments: [
            // The same; on another day, which holds; within the same second.
            Fact.notification(.refund, "1", day(0), day(30), at: day(3)).revoked(day(2)),
            Fact.notification(.refund, "1", day(0), day(30), at: day(5)).revoked(day(4)),
            Fact.notification(.refund, "1", day(0), day(30), at: day(3)).revoked(day(2, 999)),
            // Replaced by an upgrade, and not refunded.
            Fact.notification(.didChangeRenewalPref, "1", day(0), day(30), at: day(3))
                .transaction { $0.isUpgraded = true },
        ])
    func confirmed(signed: Fact) {
        let life = given(bought, versionOne(.refund, at: day(3)).revoked(day(2)), signed)
        #expect(codes(life) == [])
    }

    @Test("A cancellation that says upgraded, and one that was taken back by who told it, are none")
    func noRefund() {
        let upgraded = versionOne(.refund, at: day(3)).revoked(day(2)).transaction {
            $0.isUpgraded = true
        }
        #expect(codes(given(bought, upgraded)) == [])
        let takenBack = given(
            bought, versionOne(.refund, at: day(3)).revoked(day(2)),
            versionOne(.didChangeRenewalStatus, at: day(6)))
        #expect(codes(takenBack) == [])
    }

    @Test("Of what no higher rank speaks a lower one is believed, and nothing is to be told")
    func believed() {
        let life = given(
            bought,
            versionOne(.refund, "2", at: day(33)).revoked(day(32)).transaction {
                $0.purchaseDate = day(30)
                $0.expiresDate = day(60)
            })
        #expect(life.state(day(34)) == .revoked)
        #expect(codes(life) == [])
    }

    // MARK: Refunds that are

    @Test("Nothing signed since: both can be true, access goes on, and it is told with both")
    func unconfirmed() throws {
        let life = given(bought, versionOne(.refund, at: day(3)).revoked(day(2)))
        #expect(life.state(day(10)) == .subscribed)
        let notice = try #require(life.notices(.unconfirmedStatement).first)
        #expect(codes(life) == [.unconfirmedStatement])
        #expect(notice.evidence == [1, 2])
        #expect(notice.from == day(3))
        #expect(notice.to == nil)
        // A year later still, until something signed speaks of it.
        #expect(life.answer(day(20))?.notices.contains(notice) == true)
    }

    @Test(
        "Signed up to a minute after the refund is not since it; later is, and contradicts",
        arguments: [(60_000, .unconfirmedStatement), (60_001, .contradiction)]
            as [(Int64, NoticeCode)])
    func since(milliseconds: Int64, code: NoticeCode) throws {
        let refund = day(2)
        let life = given(
            bought, versionOne(.refund, at: day(3)).revoked(refund),
            .transaction("1", day(0), day(30), at: refund.advanced(byMilliseconds: milliseconds)))
        #expect(codes(life) == [code])
        #expect(life.state(day(10)) == .subscribed)
        let notice = try #require(life.notices(code).first)
        #expect(notice.evidence.contains(2))
        #expect(notice.evidence.count == 2)
    }

    @Test("It is told once, from when it was told first, however often a list repeats it")
    func repeated() {
        let life = given(
            bought, versionOne(.refund, at: day(3)).revoked(day(2)),
            versionOne(.didChangeRenewalStatus, at: day(6)).revoked(day(2)),
            versionOne(.didRenew, at: day(9)).revoked(day(2)))
        #expect(codes(life) == [.unconfirmedStatement])
        #expect(life.notices(.unconfirmedStatement).first?.from == day(3))
    }

    @Test("A signed reversal says that there was a refund: told until then")
    func reversed() {
        let life = given(
            bought, versionOne(.refund, at: day(3)).revoked(day(2)),
            .notification(.refundReversed, "1", day(0), day(30), at: day(7)))
        #expect(codes(life) == [.unconfirmedStatement])
        #expect(life.notices(.unconfirmedStatement).first?.to == day(7))
    }

    @Test("A second refund is not the first one, which was taken back")
    func secondRefund() {
        let life = given(
            bought, .notification(.refund, "1", day(0), day(30), at: day(3)).revoked(day(2)),
            .notification(.refundReversed, "1", day(0), day(30), at: day(5)),
            versionOne(.refund, at: day(9)).revoked(day(8)))
        #expect(codes(life) == [.unconfirmedStatement])
        #expect(life.state(day(9)) == .subscribed)
    }

    @Test("Of another transactionId for the same purchase, and of a one-time purchase, too")
    func otherPurchases() {
        let item = WebOrderLineItemId("77")
        let restored = given(
            bought.transaction { $0.webOrderLineItemId = item },
            versionOne(.refund, "99", at: day(3)).revoked(day(2)).transaction {
                $0.webOrderLineItemId = item
            })
        #expect(codes(restored) == [.unconfirmedStatement])
        func once(_ fact: Fact) -> Fact {
            fact.transaction {
                $0.type = Raw(.nonConsumable)
                $0.expiresDate = nil
            }
        }
        let owned = given(
            once(bought), once(versionOne(.refund, "9", at: day(3)).revoked(day(2))))
        #expect(owned.state(day(9)) == .owned)
        #expect(codes(owned) == [.unconfirmedStatement])
    }

    @Test("An answer of verifyReceipt is told beside what is signed, and believed before version 1")
    func threeRanks() {
        var answer = Fact.told(.verifyReceipt, at: day(4)).trusted(.transport)
        answer.transaction = .period("1", day(0), day(30))
        let told = given(bought, answer.revoked(day(2)))
        #expect(codes(told) == [.unconfirmedStatement])
        let contradicted = given(
            answer, versionOne(.refund, at: day(5)).revoked(day(2)))
        #expect(codes(contradicted) == [.contradiction])
        #expect(contradicted.state(day(10)) != .revoked)
    }

    @Test("What is said after both may follow on a refund taken back: no contradiction, an end")
    func saidAfterBoth() {
        let life = given(
            bought, versionOne(.refund, at: day(3)).revoked(day(2)),
            .transaction("1", day(0), day(30), at: day(9)),
            .transaction("1", day(0), day(30), at: day(12)))
        #expect(codes(life) == [.unconfirmedStatement])
        #expect(life.notices(.unconfirmedStatement).first?.to == day(9))
        // Told again after that, it contradicts.
        let again = given(
            bought, versionOne(.refund, at: day(3)).revoked(day(2)),
            .transaction("1", day(0), day(30), at: day(9)),
            versionOne(.didChangeRenewalStatus, at: day(10)).revoked(day(2)))
        #expect(codes(again) == [.contradiction])
    }

    @Test("A period that was extended since is no other end; a shorter one told later is")
    func extended() {
        let prolonged = Fact.transaction("1", day(0), day(40), at: day(9))
        #expect(codes(given(bought, versionOne(.didRenew, at: day(5)), prolonged)) == [])
        #expect(
            codes(given(prolonged, versionOne(.didRenew, at: day(12)))) == [.contradiction])
    }

    // MARK: Failed payments

    private let failing: @Sendable (inout RenewalSnapshot) -> Void = {
        $0.autoRenewStatus = Raw(.on)
        $0.isInBillingRetryPeriod = true
    }

    @Test("A payment that failed, as version 1 alone tells, is told while what is signed is silent")
    func failedPayment() throws {
        let life = given(
            bought.renewal { $0.autoRenewStatus = Raw(.on) },
            .autoRenew(true, at: day(29, 43_200_000)),
            versionOne(.didFailToRenew, at: day(30)).renewal(failing))
        #expect(life.state(day(31)) == .expired)
        let notice = try #require(life.notices(.unconfirmedStatement).first)
        #expect(notice.evidence == [2, 3])
        #expect(codes(life) == [.unconfirmedStatement])
    }

    @Test("Where nothing higher speaks of that time it is believed")
    func believedFailure() {
        let life = given(
            bought.renewal { $0.autoRenewStatus = Raw(.on) },
            versionOne(.didFailToRenew, at: day(30)).renewal(failing))
        #expect(life.state(day(31)) == .billingRetry)
        #expect(codes(life) == [])
    }

    @Test(
        "What a higher rank says of the failure, or of its end, confirms it",
        arguments: [
            Fact.didFailToRenew(at: day(30)), .status(.billingRetry, at: day(31)),
            .expired(.billingRetry, at: day(40)),
            .didRenew("2", day(40), day(70), .billingRecovery),
        ])
    func confirmedFailure(signed: Fact) {
        let life = given(
            bought.renewal { $0.autoRenewStatus = Raw(.on) },
            .autoRenew(true, at: day(29, 43_200_000)),
            versionOne(.didFailToRenew, at: day(30)).renewal(failing), signed)
        #expect(codes(life) == [])
    }

    @Test(
        "Once it is over, as a higher rank says later, how it came to that is no question any more")
    func overAfterFailure() {
        let life = given(
            bought.renewal { $0.autoRenewStatus = Raw(.on) },
            versionOne(.didFailToRenew, at: day(30)).renewal(failing),
            .expired(.voluntary, at: day(33)))
        #expect(codes(life) == [.unconfirmedStatement])
        #expect(life.notices(.unconfirmedStatement).first?.from == day(30))
        #expect(life.notices(.unconfirmedStatement).first?.to == day(33))
    }

    @Test("Without any gap the payment was made after all")
    func paidAfterAll() {
        let life = given(
            bought.renewal { $0.autoRenewStatus = Raw(.on) },
            .autoRenew(true, at: day(29, 43_200_000)),
            versionOne(.didFailToRenew, at: day(29, 50_000_000)).renewal(failing),
            .didRenew("2", day(30), day(60)))
        #expect(codes(life) == [])
    }

    @Test("The next period ends the notice, if it does not explain the failure")
    func endsWithNextPeriod() {
        let life = given(
            bought.renewal { $0.autoRenewStatus = Raw(.on) },
            .expired(.voluntary, at: day(30)),
            versionOne(.didFailToRenew, at: day(30)).renewal(failing),
            .resubscribed("2", day(50), day(80)))
        #expect(codes(life) == [.unconfirmedStatement])
        #expect(life.notices(.unconfirmedStatement).first?.to == day(50))
    }

    @Test("The order in which they arrive changes nothing")
    func arrival() {
        let facts = numbered([
            bought.renewal { $0.autoRenewStatus = Raw(.on) },
            versionOne(.refund, at: day(3)).revoked(day(2)),
            .transaction("1", day(0), day(30), at: day(9)),
            .autoRenew(true, at: day(29, 43_200_000)),
            versionOne(.didFailToRenew, at: day(30)).renewal(failing).revoked(day(2)),
        ])
        let notices = given(facts).notices
        #expect(Set(notices.map(\.code)).isSuperset(of: [.contradiction, .unconfirmedStatement]))
        for rotation in 1..<facts.count {
            #expect(given(Array(facts[rotation...] + facts[..<rotation])).notices == notices)
        }
        #expect(given(facts.reversed()).notices == notices)
    }
}
