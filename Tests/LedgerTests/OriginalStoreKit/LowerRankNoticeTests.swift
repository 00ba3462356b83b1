import AppStore
import Ledger
import Testing

/// Statements of a lower rank alone do not count, and always raise a notice (`Lifecycle.md` §7).
@Suite("Refunds and failed payments of a lower rank")
struct LowerRankNoticeTests {
    private let bought = Fact.subscribed("1", day(0), day(30))

    private func versionOne(
        _ type: NotificationType, _ id: String = "1", at signedDate: Timestamp
    ) -> Fact {
        var fact = Fact.reported(.notificationV1, type: type, at: signedDate).trusted(.secret)
        fact.transaction = .period(id, day(0), day(30))
        return fact
    }

    private func expect(
        _ codes: [NoticeCode], _ life: Lifecycle, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let found = life.notices.map(\.code).filter {
            $0 == .contradiction || $0 == .unconfirmedStatement
        }
        #expect(found == codes, sourceLocation: sourceLocation)
    }

    // MARK: Refunds without a notice

    @Test(
        "A refund that a higher rank confirms raises no notice",
        arguments: [
            // The same; on another day, which applies; within the same second.
            Fact.notification(.refund, "1", day(0), day(30), at: day(3)).revoked(day(2)),
            Fact.notification(.refund, "1", day(0), day(30), at: day(5)).revoked(day(4)),
            Fact.notification(.refund, "1", day(0), day(30), at: day(3)).revoked(day(2, 999)),
            // Replaced by an upgrade, and not refunded.
            Fact.notification(.didChangeRenewalPref, "1", day(0), day(30), at: day(3))
                .transaction { $0.isUpgraded = true },
        ])
    func confirmed(signed: Fact) {
        let life = given(bought, versionOne(.refund, at: day(3)).revoked(day(2)), signed)
        expect([], life)
    }

    @Test("A cancellation by an upgrade, or one reversed by its source, raises no notice")
    func noRefund() {
        let upgraded = versionOne(.refund, at: day(3)).revoked(day(2)).transaction {
            $0.isUpgraded = true
        }
        expect([], given(bought, upgraded))
        let takenBack = given(
            bought, versionOne(.refund, at: day(3)).revoked(day(2)),
            versionOne(.didChangeRenewalStatus, at: day(6)))
        expect([], takenBack)
    }

    @Test("A lower rank alone counts, without a notice")
    func accepted() {
        let life = given(
            bought,
            versionOne(.refund, "2", at: day(33)).revoked(day(32)).transaction {
                $0.purchaseDate = day(30)
                $0.expiresDate = day(60)
            })
        #expect(life.state(day(34)) == .revoked)
        expect([], life)
    }

    // MARK: Refunds with a notice

    @Test("Without a later signed statement access continues, with a notice naming both")
    func unconfirmed() throws {
        let life = given(bought, versionOne(.refund, at: day(3)).revoked(day(2)))
        #expect(life.state(day(10)) == .subscribed)
        let notice = try #require(life.notices(.unconfirmedStatement).first)
        expect([.unconfirmedStatement], life)
        #expect(notice.evidence == [1, 2])
        #expect(notice.from == day(3))
        #expect(notice.to == nil)
        // Also a year later, until a signed statement about it.
        #expect(life.answer(day(20))?.notices.contains(notice) == true)
    }

    @Test(
        "Statements up to a minute after the refund are not later; later ones contradict",
        arguments: [(60_000, .unconfirmedStatement), (60_001, .contradiction)]
            as [(Int64, NoticeCode)])
    func since(milliseconds: Int64, code: NoticeCode) throws {
        let refund = day(2)
        let life = given(
            bought, versionOne(.refund, at: day(3)).revoked(refund),
            .transaction("1", day(0), day(30), at: refund.advanced(byMilliseconds: milliseconds)))
        expect([code], life)
        #expect(life.state(day(10)) == .subscribed)
        let notice = try #require(life.notices(code).first)
        #expect(notice.evidence.contains(2))
        #expect(notice.evidence.count == 2)
    }

    @Test("One notice from the first statement, however often a list repeats it")
    func repeated() {
        let life = given(
            bought, versionOne(.refund, at: day(3)).revoked(day(2)),
            versionOne(.didChangeRenewalStatus, at: day(6)).revoked(day(2)),
            versionOne(.didRenew, at: day(9)).revoked(day(2)))
        expect([.unconfirmedStatement], life)
        #expect(life.notices(.unconfirmedStatement).first?.from == day(3))
    }

    @Test("A signed reversal confirms the refund: the notice lasts until then")
    func reversed() {
        let life = given(
            bought, versionOne(.refund, at: day(3)).revoked(day(2)),
            .notification(.refundReversed, "1", day(0), day(30), at: day(7)))
        expect([.unconfirmedStatement], life)
        #expect(life.notices(.unconfirmedStatement).first?.to == day(7))
    }

    @Test("A second refund is distinct from the first, reversed one")
    func secondRefund() {
        let life = given(
            bought, .notification(.refund, "1", day(0), day(30), at: day(3)).revoked(day(2)),
            .notification(.refundReversed, "1", day(0), day(30), at: day(5)),
            versionOne(.refund, at: day(9)).revoked(day(8)))
        expect([.unconfirmedStatement], life)
        #expect(life.state(day(9)) == .subscribed)
    }

    @Test("Also for another transactionId of the same purchase, and a one-time purchase")
    func otherPurchases() {
        let item = WebOrderLineItemId("77")
        let restored = given(
            bought.transaction { $0.webOrderLineItemId = item },
            versionOne(.refund, "99", at: day(3)).revoked(day(2)).transaction {
                $0.webOrderLineItemId = item
            })
        expect([.unconfirmedStatement], restored)
        func once(_ fact: Fact) -> Fact {
            fact.transaction {
                $0.type = Raw(.nonConsumable)
                $0.expiresDate = nil
            }
        }
        let owned = given(
            once(bought), once(versionOne(.refund, "9", at: day(3)).revoked(day(2))))
        #expect(owned.state(day(9)) == .owned)
        expect([.unconfirmedStatement], owned)
    }

    @Test("verifyReceipt raises a notice beside signed data and outranks version 1")
    func threeRanks() {
        var answer = Fact.reported(.verifyReceipt, at: day(4)).trusted(.transport)
        answer.transaction = .period("1", day(0), day(30))
        let reported = given(bought, answer.revoked(day(2)))
        expect([.unconfirmedStatement], reported)
        let contradicted = given(
            answer, versionOne(.refund, at: day(5)).revoked(day(2)))
        expect([.contradiction], contradicted)
        #expect(contradicted.state(day(10)) != .revoked)
    }

    @Test("A statement after both may follow a reversed refund: it ends the notice")
    func saidAfterBoth() {
        let life = given(
            bought, versionOne(.refund, at: day(3)).revoked(day(2)),
            .transaction("1", day(0), day(30), at: day(9)),
            .transaction("1", day(0), day(30), at: day(12)))
        expect([.unconfirmedStatement], life)
        #expect(life.notices(.unconfirmedStatement).first?.to == day(9))
        // Stated again after that, it contradicts.
        let again = given(
            bought, versionOne(.refund, at: day(3)).revoked(day(2)),
            .transaction("1", day(0), day(30), at: day(9)),
            versionOne(.didChangeRenewalStatus, at: day(10)).revoked(day(2)))
        expect([.contradiction], again)
    }

    @Test("A later extension is no different end; a shorter one stated later is")
    func extended() {
        let prolonged = Fact.transaction("1", day(0), day(40), at: day(9))
        expect([], given(bought, versionOne(.didRenew, at: day(5)), prolonged))
        expect([.contradiction], given(prolonged, versionOne(.didRenew, at: day(12))))
    }

    // MARK: Failed payments

    private let failing: @Sendable (inout RenewalSnapshot) -> Void = {
        $0.autoRenewStatus = Raw(.on)
        $0.isInBillingRetryPeriod = true
    }

    @Test("A failed payment stated only by version 1 raises a notice until signed")
    func failedPayment() throws {
        let life = given(
            bought.renewal { $0.autoRenewStatus = Raw(.on) },
            .autoRenew(true, at: day(29, 43_200_000)),
            versionOne(.didFailToRenew, at: day(30)).renewal(failing))
        #expect(life.state(day(31)) == .expired)
        let notice = try #require(life.notices(.unconfirmedStatement).first)
        #expect(notice.evidence == [2, 3])
        expect([.unconfirmedStatement], life)
    }

    @Test("Without a higher-rank statement about that time it counts")
    func believedFailure() {
        let life = given(
            bought.renewal { $0.autoRenewStatus = Raw(.on) },
            versionOne(.didFailToRenew, at: day(30)).renewal(failing))
        #expect(life.state(day(31)) == .billingRetry)
        expect([], life)
    }

    @Test(
        "A higher-rank statement of the failure, or of its end, confirms it",
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
        expect([], life)
    }

    @Test(
        "A later higher-rank end makes the failure irrelevant")
    func overAfterFailure() {
        let life = given(
            bought.renewal { $0.autoRenewStatus = Raw(.on) },
            versionOne(.didFailToRenew, at: day(30)).renewal(failing),
            .expired(.voluntary, at: day(33)))
        expect([.unconfirmedStatement], life)
        #expect(life.notices(.unconfirmedStatement).first?.from == day(30))
        #expect(life.notices(.unconfirmedStatement).first?.to == day(33))
    }

    @Test("Without a gap the payment was made")
    func paidAfterAll() {
        let life = given(
            bought.renewal { $0.autoRenewStatus = Raw(.on) },
            .autoRenew(true, at: day(29, 43_200_000)),
            versionOne(.didFailToRenew, at: day(29, 50_000_000)).renewal(failing),
            .didRenew("2", day(30), day(60)))
        expect([], life)
    }

    @Test("The next period ends the notice, if it does not explain the failure")
    func endsWithNextPeriod() {
        let life = given(
            bought.renewal { $0.autoRenewStatus = Raw(.on) },
            .expired(.voluntary, at: day(30)),
            versionOne(.didFailToRenew, at: day(30)).renewal(failing),
            .resubscribed("2", day(50), day(80)))
        expect([.unconfirmedStatement], life)
        #expect(life.notices(.unconfirmedStatement).first?.to == day(50))
    }

    @Test("Of rejected purchases of one time, the notice names the first of rule 4's order")
    func named() {
        let rejected = ["1000", "999"].map { id in
            versionOne(.didRenew, at: day(3)).transaction {
                $0.transactionId = TransactionId(id)
                $0.purchaseDate = day(1)
                $0.expiresDate = day(2)
            }
        }
        let life = given([bought, .transaction("1", day(0), day(30), at: day(10))] + rejected)
        let notices = life.notices(.contradiction)
        #expect(notices.count == 1 && notices[0].message.contains("transaction 999,"))
    }

    @Test("The order of arrival does not matter")
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
