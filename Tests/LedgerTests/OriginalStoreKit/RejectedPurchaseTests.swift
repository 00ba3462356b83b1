import AppStore
import Ledger
import TestSupport
import Testing

/// Purchases with transactionIds unknown to higher ranks, which any holder of the shared secret can
/// invent. They count where no newer higher-rank statement covers their time, and never remove
/// access (`Lifecycle.md` §7).
@Suite("Invented purchases of a lower rank")
struct SetAsideTests {
    static let lower: [Trust] = [.secret, .transport]

    /// A purchase stated only by a lower rank.
    private func reported(
        _ from: Timestamp, _ to: Timestamp, by trust: Trust, at signedDate: Timestamp? = nil,
        id: String = "99"
    ) -> Fact {
        var fact = Fact.reported(
            trust == .secret ? .notificationV1 : .verifyReceipt,
            type: trust == .secret ? .didRenew : nil, at: signedDate ?? from)
        fact.transaction = .period(id, from, to)
        return fact.trusted(trust)
    }

    /// A month, and later signed statements about it.
    private func month(_ later: Fact...) -> [Fact] {
        [.subscribed("1", day(0), day(30)).renewal { $0.autoRenewStatus = Raw(.on) }] + later
    }

    private func again(at signedDate: Timestamp) -> Fact {
        .transaction("1", day(0), day(30), at: signedDate)
    }

    private func expectUntouched(
        _ facts: [Fact], _ invented: Fact, _ code: NoticeCode,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let (with, without) = (given(facts + [invented]), given(facts))
        #expect(with.history == without.history, sourceLocation: sourceLocation)
        #expect(with.timelineEvents(.renewed).isEmpty, sourceLocation: sourceLocation)
        #expect(with.notices(code).count == 1, sourceLocation: sourceLocation)
        #expect(
            with.intervals.allSatisfy { $0.transactionId.rawValue != "99" },
            sourceLocation: sourceLocation)
    }

    // MARK: Excluded

    @Test("Inside a period that was signed again later, it ends nothing", arguments: lower)
    func endsNothing(_ trust: Trust) {
        let second = Timestamp(milliseconds: day(1).milliseconds + 1_000)
        expectUntouched(
            month(again(at: day(10))), reported(day(1), second, by: trust), .contradiction)
    }

    @Test("It neither extends nor revokes the period", arguments: lower)
    func changesNothing(_ trust: Trust) {
        let facts = month(again(at: day(10)))
        expectUntouched(facts, reported(day(1), day(3_000), by: trust), .contradiction)
        expectUntouched(
            facts, reported(day(1), day(40), by: trust, at: day(2)).revoked(day(2)), .contradiction)
    }

    @Test("A refund signed after its purchase date excludes it")
    func beforeTheRefund() {
        let refunded = Fact.notification(.refund, "1", day(0), day(30), at: day(5))
            .revoked(day(4))
        expectUntouched(
            month(refunded), reported(day(3), day(3_000), by: .secret), .contradiction)
    }

    @Test("A status after a refund excludes purchases in that time")
    func afterTheRefund() {
        let refunded = Fact.notification(.refund, "1", day(0), day(30), at: day(5))
            .revoked(day(4)).with { $0.status = Raw(.revoked) }
        expectUntouched(
            month(refunded), reported(day(4, 60), day(3_000), by: .secret), .contradiction)
    }

    @Test(
        "A signed statement about the time after the period excludes a renewal",
        arguments: [
            Fact.expired(at: day(30, 60)), .expired(at: day(30)),
            .status(.expired, at: day(31)), .status(.billingRetry, at: day(31)),
            .didFailToRenew(at: day(31)), .notification(.gracePeriodExpired, at: day(36)),
            .autoRenew(false, at: day(31)),
            .renewalInfo(at: day(31)) { $0.renewalDate = day(30) },
        ])
    func deniedRenewal(_ word: Fact) {
        let facts = month(word)
        let renewal = reported(day(30), day(3_000), by: .transport)
        expectUntouched(facts, renewal, .contradiction)
    }

    @Test("A purchase before the chain's first, as dated by a higher rank, is rejected")
    func beforeTheBeginning() {
        let first = Fact.subscribed("1", day(0), day(30)).transaction {
            $0.originalPurchaseDate = day(0)
        }
        let tolerated = NoticeLimits.firstPeriodToleranceMilliseconds
        let bound = Timestamp(milliseconds: day(0).milliseconds - tolerated)
        expectUntouched(
            [first], reported(bound.advanced(byMilliseconds: -1), day(0), by: .secret),
            .contradiction)
        #expect(given(first, reported(bound, day(0), by: .secret)).intervals.count == 3)
    }

    @Test("A renewal at the end shows that the period ran until then")
    func ranToItsEnd() {
        expectUntouched(
            month(
                .notification(.didRenew, "2", day(30), day(60)).transaction {
                    $0.transactionReason = Raw(.purchase)
                }),
            reported(day(20), day(50), by: .secret), .contradiction)
    }

    @Test("A purchase in the same second is the same one, even if signed ahead")
    func sameSecond() {
        let early = Fact.subscribed("1", day(0), day(30), at: day(-1))
        let second = Timestamp(milliseconds: day(0).milliseconds + 999)
        expectUntouched([early], reported(second, day(60), by: .secret), .contradiction)
    }

    @Test("A subscription in a one-time purchase's chain removes nothing")
    func oneTime() {
        let bought = Fact.transaction("1", day(0), day(30), at: day(0)).transaction {
            $0.type = Raw(.nonConsumable)
            $0.expiresDate = nil
        }
        let life = given(bought, reported(day(1), day(2), by: .secret))
        expectHistory(life, [Start(.owned, day(0))])
        #expect(life.notices(.contradiction).count == 1)
        // A receipt states no type; a purchase without an end does not renew.
        var receipt = Fact.reported(.receipt, at: day(0))
        receipt.transaction = bought.transaction
        receipt.transaction?.type = nil
        var catalogue = Catalogue()
        catalogue.products = [ProductId("pro.monthly"): Catalogue.Product(entitlements: ["pro"])]
        let listed = given(receipt, reported(day(1), day(2), by: .secret), catalogue: catalogue)
        expectHistory(listed, [Start(.owned, day(0))])
    }

    // MARK: Unconfirmed

    @Test("Newer than every signed statement, it still ends no access early", arguments: lower)
    func shorter(_ trust: Trust) {
        let shorter = reported(day(1), day(29), by: trust).transaction {
            $0.productId = ProductId("pro.weekly")
        }
        expectUntouched(month(), shorter, .unconfirmedStatement)
    }

    @Test("Its refund ends no access that is signed")
    func revokedLonger() {
        expectUntouched(
            month(),
            reported(day(1), day(60), by: .secret, at: day(2)).revoked(day(2)).transaction {
                $0.productId = ProductId("pro.yearly")
            }, .unconfirmedStatement)
    }

    @Test("Nor does it end the grace after the period in which it begins")
    func graceAfter() {
        // Signed before the end, and before it.
        let failing = Fact.didFailToRenew(at: day(30, -43_200), grace: day(46))
        let other = reported(day(30, -39_600), day(30), by: .secret).transaction {
            $0.productId = ProductId("pro.weekly")
        }
        expectUntouched(month(failing), other, .unconfirmedStatement)
        expectUntouched(
            month(
                .notification(.refund, "1", day(0), day(30), at: day(5)).revoked(day(5)),
                .notification(.refundReversed, "1", day(0), day(30), at: day(12)),
                .didFailToRenew(at: day(30), grace: day(46))),
            reported(day(8), day(31), by: .secret), .contradiction)
    }

    @Test("What it would extend was over by a signed statement", arguments: lower)
    func outlasting(_ trust: Trust) {
        let longer = reported(day(20), day(90), by: trust).transaction {
            $0.productId = ProductId("pro.yearly")
        }
        expectUntouched(month(.expired(at: day(30, 60))), longer, .contradiction)
        #expect(given(month() + [longer]).state(day(80)) != .expired)
        // Without a period before it.
        #expect(given(.expired(at: day(30)), longer).intervals.isEmpty)
        #expect(given(.expired(at: day(90)), longer).intervals.count == 2)
    }

    @Test("In a period that was upgraded later nothing else was bought", arguments: lower)
    func upgradedLater(_ trust: Trust) {
        let upgraded = again(at: day(20)).revoked(day(20)).transaction { $0.isUpgraded = true }
        let other = reported(day(10), day(40), by: trust).transaction {
            $0.productId = ProductId("pro.yearly")
        }
        expectUntouched(month(upgraded), other, .contradiction)
    }

    @Test("Nor does it end access before a known upgrade")
    func beforeTheUpgrade() {
        let upgraded = again(at: day(12)).transaction { $0.isUpgraded = true }
        let successor = Fact.resubscribed("2", day(12), day(42))
        let shorter = reported(day(5), day(6), by: .secret).transaction {
            $0.productId = ProductId("pro.weekly")
        }
        expectUntouched(month(upgraded, successor), shorter, .contradiction)
    }

    @Test("A running product cannot be bought again; the notice lasts as long as the purchase")
    func sameProduct() {
        for (end, until) in [(day(60), day(60)), (day(20), day(30))] {
            let again = reported(day(1), end, by: .secret)
            expectUntouched(month(), again, .unconfirmedStatement)
            #expect(given(month() + [again]).notices(.unconfirmedStatement).last?.to == until)
        }
    }

    @Test("It does not end signed grace")
    func grace() {
        expectUntouched(
            month(.didFailToRenew(at: day(30), grace: day(46))),
            reported(day(31), day(32), by: .secret), .unconfirmedStatement)
        expectUntouched(
            month(.didFailToRenew(at: day(31), grace: day(46))),
            reported(day(31), day(32), by: .secret), .contradiction)
    }

    // MARK: Counted
    @Test("A renewal without a later signed statement counts", arguments: lower)
    func renewal(_ trust: Trust) {
        let life = given(month() + [reported(day(30), day(60), by: trust, id: "2")])
        expectHistory(
            life,
            [
                Start(.subscribed, day(0)), Start(.renewing, day(30)), Start(.expired, day(60)),
            ])
        #expect(life.answer(day(40))?.trust == trust)
        #expect(life.notices(.contradiction).isEmpty)
    }

    @Test("An upgrade without a later signed statement counts if it lasts no shorter")
    func upgrade() {
        let other = reported(day(10), day(40), by: .secret, id: "2").transaction {
            $0.productId = ProductId("pro.yearly")
        }
        let life = given(month() + [other])
        #expect(life.answer(day(20))?.transactionId.rawValue == "2")
        #expect(life.state(day(35)) == .renewing)
        #expect(life.notices(.unconfirmedStatement).isEmpty)
    }

    @Test(
        "In refunded time it does not end what a reversal gave back later", arguments: lower)
    func givenBack(_ trust: Trust) {
        let facts = month(
            .notification(.refund, "1", day(0), day(30), at: day(5)).revoked(day(5)),
            .notification(.refundReversed, "1", day(0), day(30), at: day(12)))
        expectUntouched(facts, reported(day(8), day(10), by: trust), .unconfirmedStatement)
        expectUntouched(
            facts, reported(day(8), day(40), by: trust, at: day(9)).revoked(day(9)),
            .unconfirmedStatement)
        let longer = given(facts + [reported(day(8), day(40), by: trust)])
        #expect(longer.answer(day(20))?.transactionId.rawValue == "99")
        // Before the reversal it is the only purchase.
        let refunded = given(Array(facts.prefix(2)) + [reported(day(8), day(10), by: trust)])
        #expect(refunded.answer(day(9))?.transactionId.rawValue == "99")
        #expect(refunded.state(day(11)) == .expired)
    }

    @Test(
        "The successor of a signed upgrade counts, except by the secret alone if it ends earlier",
        arguments: [(Trust.transport, day(17)), (.secret, day(30)), (.secret, day(40))])
    func successor(_ trust: Trust, _ end: Timestamp) {
        let upgraded = again(at: day(12)).transaction { $0.isUpgraded = true }
        let life = given(month(upgraded) + [reported(day(10), end, by: trust, id: "2")])
        #expect(life.answer(day(11))?.transactionId.rawValue == "2")
        #expect(life.state(end) == .expired)
        expectUntouched(
            month(upgraded), reported(day(10), day(17), by: .secret), .unconfirmedStatement)
    }

    @Test(
        "A signed continuation does not exclude a renewal, unless it ends earlier",
        arguments: [(day(60), true), (day(59), false), (day(30), false)])
    func goesOn(_ renewalDate: Timestamp, _ isCounted: Bool) {
        let on = Fact.autoRenew(true, at: day(31)).renewal { $0.renewalDate = renewalDate }
        let life = given(month(on) + [reported(day(30), day(60), by: .secret, id: "2")])
        #expect(life.state(day(40)) == (isCounted ? .renewing : .expired))
        #expect(life.notices(.contradiction).isEmpty == isCounted)
    }

    @Test("It fills a gap between signed periods, up to the next one")
    func gap() {
        let next = Fact.didRenew("3", day(60), day(90), at: day(60))
        let life = given(month(next) + [reported(day(30), day(75), by: .secret, id: "2")])
        #expect(life.answer(day(45))?.transactionId.rawValue == "2")
        #expect(life.answer(day(65))?.transactionId.rawValue == "3")
        #expect(life.answer(day(65))?.trust == .signed)
        #expect(life.state(day(91)) == .expired)
    }

    @Test("A signed new purchase is not a renewal of a lower-rank period")
    func label() {
        let anew = Fact.resubscribed("3", day(60), day(90))
        let life = given(month(anew) + [reported(day(40), day(60), by: .secret, id: "2")])
        #expect(life.state(day(50)) != .expired)
        #expect(life.state(day(60)) == .subscribed)
    }

    // MARK: Consequences

    @Test("The token of a rejected purchase names no holder", arguments: lower)
    func token(_ trust: Trust) {
        let mine = month(again(at: day(10))).map { fact in
            fact.transaction { $0.appAccountToken = "11111111-1111-4111-8111-111111111111" }
        }
        let stolen = reported(day(1), day(3_000), by: trust).transaction {
            $0.appAccountToken = "22222222-2222-4222-8222-222222222222"
        }
        let answer = given(mine + [stolen]).answer(day(20))
        #expect(answer?.appAccountToken == "11111111-1111-4111-8111-111111111111")
        #expect(answer?.appAccountTokenTrust == .signed)
        // A customer named under less knowledge remains named.
        let named = given(mine + [stolen]).holders.named.map(\.rawValue)
        #expect(named.contains("22222222-2222-4222-8222-222222222222"))
    }

    @Test("A signed token stays, even if the renewal counts")
    func tokenOfRenewal() {
        let mine = month().map { fact in
            fact.transaction { $0.appAccountToken = "11111111-1111-4111-8111-111111111111" }
        }
        let renewal = reported(day(30), day(60), by: .secret, id: "2").transaction {
            $0.appAccountToken = "22222222-2222-4222-8222-222222222222"
        }
        let life = given(mine + [renewal])
        #expect(life.answer(day(40))?.transactionId.rawValue == "2")
        #expect(
            life.answer(day(40))?.appAccountToken == "11111111-1111-4111-8111-111111111111")
        #expect(
            life.holders.holders(at: day(40)).map(\.customer.rawValue) == [
                "11111111-1111-4111-8111-111111111111"
            ])
        #expect(life.notices(.tokenChanged).count == 1)
    }

    @Test("It opens no period for a lower-rank auto-renew status")
    func autoRenew() {
        let facts = month(again(at: day(25)))
        let off = reported(day(5), day(3_000), by: .secret, at: day(6)).renewal {
            $0.autoRenewStatus = Raw(.off)
        }
        #expect(given(facts + [off]).answer(day(10))?.willRenew == true)
        // Nor does a different purchase date of a signed transaction.
        let moved = reported(day(5), day(60), by: .secret, at: day(6), id: "1").renewal {
            $0.autoRenewStatus = Raw(.off)
        }
        #expect(given(facts + [moved]).answer(day(10))?.willRenew == true)
    }

    @Test("A lower-rank restore does not join two signed periods")
    func bridge() {
        let facts = month(.resubscribed("2", day(40), day(70))).map { fact in
            fact.transaction { $0.webOrderLineItemId = WebOrderLineItemId("7") }
        }
        let bridge = reported(day(10), day(50), by: .secret).transaction {
            $0.webOrderLineItemId = WebOrderLineItemId("7")
        }
        expectHistory(given(facts + [bridge]), given(facts).history)
    }

    @Test("A lower-rank purchase does not turn a receipt's refund into an upgrade")
    func receiptRefund() {
        var refunded = Fact.reported(.receipt, at: day(20))
        refunded.transaction = .period("1", day(0), day(30))
        refunded = refunded.revoked(day(10))
        let other = reported(day(10), day(40), by: .secret).transaction {
            $0.productId = ProductId("other")
        }
        #expect(given(refunded, other).timelineEvents(.refunded).count == 1)
    }

    @Test("Hundreds in one body are one notice, in every order")
    func hundreds() {
        let count = Int64(Soak.count(100, soak: 3_000))
        let invented = (0..<count).map { (number: Int64) in
            reported(day(1, number), day(2, number), by: .secret, at: day(3), id: "9\(number)")
        }
        let facts = numbered(month(again(at: day(10))) + invented)
        let life = Lifecycle(facts, environment: .production, catalogue: Catalogue())
        #expect(life.notices(.contradiction).count == 1)
        #expect(life.notices(.contradiction).first?.message.contains("\(count - 1) more") == true)
        let reversed = Lifecycle(
            facts.reversed(), environment: .production, catalogue: Catalogue())
        #expect(reversed.notices == life.notices)
        #expect(reversed.intervals == life.intervals)
    }
}
