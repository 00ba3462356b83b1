import AppStore
import Testing

/// Dates pass through doubles here; each one in the fixtures is exact or has a fraction to round.
func wholeMilliseconds(_ date: Double) -> Int64 {
    Int64(date.rounded(.toNearestOrAwayFromZero))
}

/// `TransactionPayload` as Foundation decodes it.
struct TransactionMirror: Decodable {
    var transactionId: String?
    var originalTransactionId: String?
    var webOrderLineItemId: String?
    var bundleId: String?
    var productId: String?
    var subscriptionGroupIdentifier: String?
    var purchaseDate: Double?
    var originalPurchaseDate: Double?
    var expiresDate: Double?
    var quantity: Int64?
    var type: String?
    var appAccountToken: String?
    var inAppOwnershipType: String?
    var signedDate: Double?
    var revocationDate: Double?
    var revocationReason: Int64?
    var revocationType: String?
    var revocationPercentage: Int64?
    var isUpgraded: Bool?
    var offerType: Int64?
    var offerIdentifier: String?
    var offerDiscountType: String?
    var offerPeriod: String?
    var environment: String?
    var storefront: String?
    var storefrontId: String?
    var transactionReason: String?
    var price: Int64?
    var currency: String?
    var appTransactionId: String?
    var billingPlanType: String?
    var previousOriginalTransactionId: String?
    var deviceVerification: String?
    var deviceVerificationNonce: String?
    var commitmentInfo: TransactionCommitmentMirror?

    private func expectSameFirst(as payload: TransactionPayload) {
        #expect(payload.transactionId?.rawValue == transactionId)
        #expect(payload.originalTransactionId?.rawValue == originalTransactionId)
        #expect(payload.webOrderLineItemId?.rawValue == webOrderLineItemId)
        #expect(payload.bundleId?.rawValue == bundleId)
        #expect(payload.productId?.rawValue == productId)
        #expect(payload.subscriptionGroupIdentifier?.rawValue == subscriptionGroupIdentifier)
        #expect(payload.purchaseDate?.milliseconds == purchaseDate.map(wholeMilliseconds))
        #expect(
            payload.originalPurchaseDate?.milliseconds
                == originalPurchaseDate.map(wholeMilliseconds))
        #expect(payload.expiresDate?.milliseconds == expiresDate.map(wholeMilliseconds))
        #expect(payload.quantity == quantity)
        #expect(payload.type?.rawValue == type)
        #expect(payload.appAccountToken == appAccountToken)
        #expect(payload.inAppOwnershipType?.rawValue == inAppOwnershipType)
        #expect(payload.signedDate?.milliseconds == signedDate.map(wholeMilliseconds))
        #expect(payload.revocationDate?.milliseconds == revocationDate.map(wholeMilliseconds))
        #expect(payload.revocationReason?.rawValue == revocationReason)
        #expect(payload.revocationType?.rawValue == revocationType)
        #expect(payload.revocationPercentage == revocationPercentage)
    }

    private func expectSameSecond(as payload: TransactionPayload) {
        #expect(payload.isUpgraded == isUpgraded)
        #expect(payload.offerType?.rawValue == offerType)
        #expect(payload.offerIdentifier == offerIdentifier)
        #expect(payload.offerDiscountType?.rawValue == offerDiscountType)
        #expect(payload.offerPeriod == offerPeriod)
        #expect(payload.environment?.rawValue == environment)
        #expect(payload.storefront == storefront)
        #expect(payload.storefrontId == storefrontId)
        #expect(payload.transactionReason?.rawValue == transactionReason)
        #expect(payload.price == price)
        #expect(payload.currency == currency)
        #expect(payload.appTransactionId?.rawValue == appTransactionId)
        #expect(payload.billingPlanType?.rawValue == billingPlanType)
        #expect(payload.previousOriginalTransactionId?.rawValue == previousOriginalTransactionId)
        #expect(payload.deviceVerification == deviceVerification)
        #expect(payload.deviceVerificationNonce == deviceVerificationNonce)
    }

    func expectSame(as payload: TransactionPayload) {
        expectSameFirst(as: payload)
        expectSameSecond(as: payload)
        #expect((payload.commitmentInfo == nil) == (commitmentInfo == nil))
        if let commitmentInfo, let inner = payload.commitmentInfo {
            commitmentInfo.expectSame(as: inner)
        }
    }
}

/// `TransactionCommitmentInfo` as Foundation decodes it.
struct TransactionCommitmentMirror: Decodable {
    var billingPeriodNumber: Int64?
    var commitmentExpiresDate: Double?
    var commitmentPrice: Int64?
    var totalBillingPeriods: Int64?

    func expectSame(as payload: TransactionCommitmentInfo) {
        #expect(payload.billingPeriodNumber == billingPeriodNumber)
        #expect(
            payload.commitmentExpiresDate?.milliseconds
                == commitmentExpiresDate.map(wholeMilliseconds))
        #expect(payload.commitmentPrice == commitmentPrice)
        #expect(payload.totalBillingPeriods == totalBillingPeriods)
    }
}
