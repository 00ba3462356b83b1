import AppStore
import Testing

@testable import Ledger

/// `Lifecycle.md` §2: a lower rank is used only without a higher one.
@Suite("Ranks of trust")
struct TrustRankTests {
    /// A version 1 statement about a period.
    private func versionOne(
        _ type: NotificationType, _ id: String, _ from: Timestamp, _ to: Timestamp,
        at signedDate: Timestamp
    ) -> Fact {
        var fact = Fact.reported(.notificationV1, type: type, at: signedDate).trusted(.secret)
        fact.transaction = .period(id, from, to)
        return fact
    }

    private func receipt(
        _ id: String, _ from: Timestamp, _ to: Timestamp, at signedDate: Timestamp
    ) -> Fact {
        var fact = Fact.reported(.receipt, at: signedDate)
        fact.transaction = .period(id, from, to)
        fact.transaction?.type = nil
        return fact
    }

    // MARK: Precedence

    @Test("A cancellation at rank secret revokes nothing that Apple signed")
    func forgedCancellation() {
        let life = given(
            .subscribed("1", day(0), day(30)),
            versionOne(.refund, "1", day(0), day(30), at: day(3)).revoked(day(2)))
        #expect(life.state(day(10)) == .subscribed)
        expectHistory(life, [Start(.subscribed, day(0)), Start(.expired, day(30))])
    }

    @Test("A longer period at rank secret gives no access")
    func forgedPeriod() {
        let life = given(
            .subscribed("1", day(0), day(30)),
            versionOne(.didRenew, "1", day(0), day(400), at: day(3)))
        #expect(life.state(day(31)) == .expired)
        #expect(life.notices(.contradiction).count == 1)
    }

    @Test(
        "A lower-rank auto-renew off beside a higher rank does not count, and is reported"
    )
    func forgedAutoRenew() {
        let life = given(
            .subscribed("1", day(0), day(30)).renewal { $0.autoRenewStatus = Raw(.on) },
            versionOne(.didChangeRenewalStatus, "1", day(0), day(30), at: day(5)).renewal {
                $0.autoRenewStatus = Raw(.off)
            })
        #expect(life.answer(day(10))?.willRenew == true)
        #expect(life.notices(.contradiction).count == 1)
    }

    @Test("Nor in a period whose signed renewal info came with its purchase, before it began")
    func forgedAfterAnEarlyRenewal() {
        let life = given(
            .subscribed("1", day(0), day(30)).renewal { $0.autoRenewStatus = Raw(.on) },
            .didRenew("2", day(30), day(60), at: day(29)).renewal {
                $0.autoRenewStatus = Raw(.on)
                $0.renewalDate = day(60)
            },
            versionOne(.didChangeRenewalStatus, "2", day(30), day(60), at: day(33)).renewal {
                $0.autoRenewStatus = Raw(.off)
            })
        #expect(life.answer(day(40))?.willRenew == true)
        #expect(life.intervals.last?.reason == .unconfirmed)
        #expect(life.notices(.contradiction).count == 1)
        #expect(life.notices(.renewalOverdue).count == 1)
    }

    @Test("A recovery at rank secret makes no retry of time that Apple signed as expired")
    func forgedRecovery() {
        let recovered = versionOne(.didRenew, "2", day(110), day(140), at: day(111)).with {
            $0.cause.subtype = Raw(.billingRecovery)
        }
        let facts: [Fact] = [.subscribed("1", day(0), day(30)), .expired(.voluntary, at: day(31))]
        #expect(
            given(facts + [recovered]).history.prefix(2) == given(facts).history.prefix(2))
    }

    @Test("A statement confirmed by a later signed one contradicts nothing")
    func confirmed() {
        let life = given(
            .subscribed("1", day(0), day(30)).renewal { $0.autoRenewStatus = Raw(.on) },
            versionOne(.didChangeRenewalStatus, "1", day(0), day(30), at: day(5)).renewal {
                $0.autoRenewStatus = Raw(.off)
            },
            .autoRenew(false, at: day(6)))
        #expect(life.answer(day(5, 1))?.willRenew == true)
        #expect(life.answer(day(7))?.willRenew == false)
        #expect(life.notices(.contradiction).isEmpty)
    }

    @Test("Another transactionId for the same purchase has the lower rank, too")
    func forgedRestore() {
        func restore(_ type: NotificationType) -> Fact {
            versionOne(type, "99", day(1), day(400), at: day(3)).transaction {
                $0.webOrderLineItemId = WebOrderLineItemId("77")
            }
        }
        let signed = Fact.subscribed("1", day(0), day(30)).transaction {
            $0.webOrderLineItemId = WebOrderLineItemId("77")
        }
        let longer = given(signed, .expired(at: day(30)), restore(.didRenew))
        expectHistory(longer, [Start(.subscribed, day(0)), Start(.expired, day(30))])
        let cancelled = given(signed, restore(.refund).revoked(day(2)))
        #expect(cancelled.state(day(10)) == .subscribed)
    }

    @Test("A lower rank does not reverse a signed refund")
    func forgedUpgrade() {
        let life = given(
            receipt("1", day(0), day(30), at: day(9)).revoked(day(8)),
            versionOne(.didRenew, "1", day(0), day(30), at: day(10)).transaction {
                $0.isUpgraded = true
            })
        #expect(life.state(day(20)) == .revoked)
    }

    @Test("A receipt's whole seconds cause no gap beside milliseconds")
    func wholeSeconds() {
        let life = given(
            receipt("1", day(0), day(30), at: day(1)),
            .didRenew("2", day(30, 811), day(60, 811)))
        expectHistory(
            life,
            [
                Start(.subscribed, day(0)), Start(.renewing, day(30, 811)),
                Start(.expired, day(60, 811)),
            ])
        #expect(life.notices(.missingPeriod).isEmpty)
        let refunded = given(
            .notification(.refund, "1", day(0), day(30), at: day(5)).revoked(day(4, 811)),
            receipt("1", day(0), day(30), at: day(9)).revoked(day(4)))
        #expect(refunded.history.last == Start(.revoked, day(4, 811)))
        let sameMoment = given(
            .notification(.subscribed, "1", day(0, 811), day(30, 811), at: day(9)).with {
                $0.transaction?.originalPurchaseDate = day(0, 811)
            },
            receipt("1", day(0), day(30), at: day(9)).with {
                $0.transaction?.originalPurchaseDate = day(0)
            })
        #expect(sameMoment.notices(.contradiction).isEmpty)
    }

    // MARK: Without a higher rank

    @Test("Lower-rank auto-renew counts in a period without a higher-rank statement")
    func laterPeriod() {
        let life = given(
            .subscribed("1", day(0), day(30)).renewal { $0.autoRenewStatus = Raw(.on) },
            versionOne(.didRenew, "2", day(30), day(60), at: day(30)).renewal {
                $0.autoRenewStatus = Raw(.off)
            })
        #expect(life.answer(day(20))?.willRenew == true)
        #expect(life.answer(day(40))?.willRenew == false)
        #expect(life.notices(.contradiction).isEmpty)
    }

    // MARK: Receipts

    @Test("A newer receipt does not remove values it has no field for")
    func partial() {
        let life = given(
            .subscribed("1", day(0), day(30)).transaction {
                $0.price = 9990
                $0.currency = "USD"
                $0.storefront = "USA"
                $0.subscriptionGroupIdentifier = SubscriptionGroupIdentifier("5")
                $0.appAccountToken = "3f0c0d5e-0000-4000-8000-000000000001"
            },
            receipt("1", day(0), day(30), at: day(9)))
        let answer = life.answer(day(10))
        #expect(answer?.price?.milliunits == 9990)
        #expect(answer?.storefront == "USA")
        #expect(answer?.appAccountToken == "3f0c0d5e-0000-4000-8000-000000000001")
        #expect(life.notices(.contradiction).isEmpty)
        #expect(life.notices(.tokenChanged).isEmpty)
    }

    @Test("A signed transaction's product type takes precedence over a receipt's number")
    func typeOfReceipt() {
        var owned = receipt("1", day(0), day(30), at: day(9))
        owned.transaction?.type = Raw(.nonConsumable)
        owned.transaction?.expiresDate = nil
        let life = given(.subscribed("1", day(0), day(30)), owned)
        expectHistory(life, [Start(.subscribed, day(0)), Start(.expired, day(30))])
        #expect(life.notices(.contradiction).map(\.message).contains { $0.contains("type") })
        // Alone, it counts.
        #expect(given(owned).state(day(40)) == .owned)
    }

    @Test("A receipt has no upgraded field: a cancellation signed as upgraded is no refund")
    func upgraded() {
        let life = given(
            .subscribed("1", day(0), day(30)).transaction { $0.isUpgraded = true },
            receipt("1", day(0), day(30), at: day(9)).revoked(day(8)))
        #expect(life.state(day(9)) != .revoked)
    }

    @Test(
        "A receipt's purchase without a type has the catalogue's",
        arguments: [(nil, nil), (Catalogue.Product(entitlements: ["pro"]), ChainState.owned)]
            as [(Catalogue.Product?, ChainState?)])
    func oneTime(product: Catalogue.Product?, expected: ChainState?) {
        var fact = receipt("1", day(0), day(30), at: day(1))
        fact.transaction?.expiresDate = nil
        fact.transaction?.productId = ProductId("lifetime")
        let catalogue = Catalogue(products: product.map { [ProductId("lifetime"): $0] } ?? [:])
        let life = given([fact], catalogue: catalogue)
        #expect(life.state(day(50)) == expected)
        #expect(life.notices(.unknownValue).isEmpty == (expected != nil))
        #expect(life.notices(.unreadable).isEmpty)
    }

    @Test("Invented copies that are revoked in one second are rejected at once")
    func inventedCopies() {
        let signed = Fact.subscribed("1", day(0), day(30))
        let invented = (0..<12).flatMap { place in
            let bought = day(2, Int64(place * 40))
            let revoked = bought.advanced(byMilliseconds: 20)
            let revocations = [revoked, nil, day(35, Int64(place) * second)]
            return zip([revoked, day(3), day(36)], revocations).map { time, revocation in
                var fact = Fact.reported(.notificationV1, type: .didRenew, at: time)
                fact.transaction = .period("8\(place)", bought, day(40))
                fact.transaction?.webOrderLineItemId = WebOrderLineItemId("v")
                fact.transaction?.productId = ProductId("other")
                fact.transaction?.revocationDate = revocation
                return fact.trusted(.secret)
            }
        }
        let facts = numbered([signed] + invented)
        expectHistory(given(facts), given(signed).history)
        // The second pass finds none.
        let ranks = OrderedFacts.ordered(facts, environment: .production).ranks
        #expect(ranks?.rejected.count == 12)
        #expect(ranks?.pass == 2)
    }
}
