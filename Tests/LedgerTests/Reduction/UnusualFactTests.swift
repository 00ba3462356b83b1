import AppStore
import Ledger
import Testing

/// Facts that are flawed, empty, undated, endless or at the bounds of a rule.
@Suite("Unusual facts")
struct UnusualFactTests {
    private let bought = Fact.subscribed("1", day(0), day(30))

    // MARK: Totality

    @Test("§2 rule 1: an unusable fact has no effect, including its statements")
    func flawedFactSpeaks() {
        let flawed = Fact.notification(.didFailToRenew, "1", day(0), day(30), at: day(30))
            .transaction { $0.expiresDate = nil }.with { $0.flaw = .incompleteTransaction }
        expectHistory(given(bought, flawed), given(bought).history)
    }

    @Test("§2: duplicates change nothing, also of an undated, unreadable fact")
    func undatedTwice() {
        let fact = Fact.reported(.notification, at: nil).with { $0.flaw = .undecodable }
        #expect(given(bought, fact, fact).notices.count == given(bought, fact).notices.count)
    }

    @Test("§2 rule 1: a dated transaction with neither type nor end is not silently dropped")
    func neitherTypeNorEnd() {
        var payload = TransactionPayload()
        payload.transactionId = TransactionId("1")
        payload.originalTransactionId = OriginalTransactionId("1")
        payload.purchaseDate = day(0)
        payload.signedDate = day(0)
        let fact = Fact(
            transaction: payload,
            origin: FactOrigin(
                position: 1, receivedAt: day(0), trust: .signed, digest: Digest(words: (1, 1, 1, 1))
            ))
        let life = Lifecycle([fact], environment: .production, catalogue: Catalogue())
        #expect(!life.isEmpty || !life.notices.isEmpty)
    }

    // MARK: Rules 2, 3 and 5

    @Test(
        "§2 rules 2 and 4: an empty stretch inside a period ends nothing, whatever its line item",
        arguments: ["v", "w"])
    func emptyStretch(_ item: String) {
        func line(_ item: String, _ fact: Fact) -> Fact {
            fact.transaction { $0.webOrderLineItemId = WebOrderLineItemId(item) }
        }
        let empty = line(item, .transaction("2", day(10), day(10), at: day(10)))
        let life = given(line("w", bought), empty)
        expectHistory(life, [Start(.subscribed, day(0)), Start(.expired, day(30))])
    }

    @Test("§2 rule 5: GRACE_PERIOD with a date at or before the end is not undated")
    func pastGraceDate() {
        let stale = Fact.didFailToRenew(at: day(30), grace: day(29))
        let life = given(bought, stale)
        #expect(life.history.map(\.state) == [.subscribed, .billingRetry, .expired])
        #expect(life.notices(.unknownValue).isEmpty)
    }

    @Test("§4 unknownValue: an unknown expirationIntent has no effect")
    func unknownIntent() {
        let unknown = Fact.renewalInfo(at: day(32)) { $0.expirationIntent = Raw(rawValue: 9) }
        let failed = Fact.didFailToRenew(at: day(30))
        expectHistory(given(bought, failed, unknown), given(bought, failed).history)
    }

    // MARK: Attributes and facts

    @Test("§2, cancellation: a renewal info without a status does not interrupt the off-stretch")
    func silentInfoInStretch() {
        let life = given(
            bought, .autoRenew(false, at: day(3)), .renewalInfo(at: day(4)),
            .autoRenew(false, at: day(5)))
        #expect(life.answer(day(6))?.cancellation?.at == day(3))
    }

    @Test("§3 and run: a purchase after a refund of the running period is not a product change")
    func boughtAfterRefund() {
        let life = given(
            bought.revoked(day(5)),
            .resubscribed("2", day(10), day(40)).transaction { $0.productId = ProductId("other") })
        #expect(life.history.map(\.state) == [.subscribed, .revoked, .subscribed, .expired])
        #expect(life.timelineEvents.map(\.name) == [.refunded])
    }

    // MARK: Notices

    @Test(
        "§4 unexplainedExpiry: EXPIRED's own renewal info, signed just before it, explains nothing"
    )
    func ownInfoExplains() {
        // Apple signs the nested parts before the envelope.
        let expired = Fact.expired(.billingRetry, at: day(30, 10)).renewal {
            $0.autoRenewStatus = Raw(.off)
            $0.expirationIntent = Raw(.billingError)
            $0.signedDate = day(30)
        }
        let life = given(bought, .autoRenew(true, at: day(1)), expired)
        expectNotices(life, [.unexplainedExpiry])
    }

    @Test("§4 renewalOverdue: last known on, although the newest info lacks it")
    func lastKnownOn() {
        let life = given(bought, .autoRenew(true, at: day(1)), .renewalInfo(at: day(2)))
        expectNotices(life, [.renewalOverdue])
    }

    @Test("§4 contradiction: found although a third snapshot of that date lies between")
    func silentThird() {
        func priced(_ price: Int64?, _ order: UInt64) -> Fact {
            Fact.transaction("1", day(0), day(30), at: day(0)).digest(order).transaction {
                $0.price = price
            }
        }
        let life = given(priced(1, 1), priced(nil, 2), priced(2, 3))
        expectNotices(life, [.contradiction])
    }

    @Test(
        "§4 contradiction: any value that both state differently, by its name",
        arguments: [
            "originalTransactionId", "webOrderLineItemId", "productId", "purchaseDate",
            "originalPurchaseDate", "expiresDate", "revocationDate", "isUpgraded",
            "revocationType", "revocationReason", "revocationPercentage", "transactionReason",
            "appAccountToken", "storefront", "price", "currency", "quantity", "type",
            "inAppOwnershipType", "offerType", "offerIdentifier", "offerDiscountType",
        ])
    func fields(_ field: String) {
        let facts = [false, true].map { isSecond in
            Fact.transaction("1", day(0), day(30), at: day(0)).transaction { snapshot in
                if field.hasPrefix("revocation") { snapshot.revocationDate = day(3) }
                UnusualFactTests.state(field, isSecond, in: &snapshot)
            }
        }
        #expect(
            given(facts).notices(.contradiction).map(\.message) == [
                "Two sources state different values for transaction 1 at one signedDate: \(field)."
            ])
    }

    /// States one of two values of a field.
    private static func state(
        _ field: String, _ isSecond: Bool, in snapshot: inout TransactionSnapshot
    ) {
        let text = isSecond ? "2" : "1"
        let number: Int64 = isSecond ? 1 : 0
        switch field {
        case "originalTransactionId":
            snapshot.originalTransactionId = OriginalTransactionId(text)
        case "webOrderLineItemId": snapshot.webOrderLineItemId = WebOrderLineItemId(text)
        case "productId": snapshot.productId = ProductId(text)
        case "purchaseDate": snapshot.purchaseDate = day(number)
        case "originalPurchaseDate": snapshot.originalPurchaseDate = day(number - 2)
        case "expiresDate": snapshot.expiresDate = day(30 + number)
        case "revocationDate": snapshot.revocationDate = isSecond ? day(3) : nil
        case "isUpgraded": snapshot.isUpgraded = isSecond
        case "revocationType":
            snapshot.revocationType = Raw(isSecond ? .refundProrated : .refundFull)
        case "revocationReason": snapshot.revocationReason = Raw(rawValue: number)
        case "revocationPercentage": snapshot.revocationPercentage = number
        case "transactionReason":
            snapshot.transactionReason = Raw(isSecond ? .renewal : .purchase)
        case "appAccountToken": snapshot.appAccountToken = text
        case "storefront": snapshot.storefront = text
        case "price": snapshot.price = number
        case "currency": snapshot.currency = text
        case "quantity": snapshot.quantity = number
        case "type":
            snapshot.type = Raw(
                isSecond ? .nonRenewingSubscription : .autoRenewableSubscription)
        case "inAppOwnershipType":
            snapshot.inAppOwnershipType = Raw(isSecond ? .familyShared : .purchased)
        case "offerType":
            snapshot.offer = Offer(type: Raw(isSecond ? .winBackOffer : .introductoryOffer))
        case "offerIdentifier": snapshot.offer = Offer(identifier: text)
        case "offerDiscountType":
            snapshot.offer = Offer(discountType: Raw(isSecond ? .payUpFront : .freeTrial))
        default: Issue.record("\(field) has no values here")
        }
    }

    @Test("§4 contradiction: a token that differs only in case is none")
    func tokenCase() {
        let facts = ["a", "A"].map { token in
            Fact.transaction("1", day(0), day(30), at: day(0)).transaction {
                $0.appAccountToken = token
            }
        }
        #expect(given(facts).notices(.contradiction).isEmpty)
    }
}
