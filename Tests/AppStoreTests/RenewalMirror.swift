import AppStore
import Testing

/// `RenewalPayload` as Foundation decodes it.
struct RenewalMirror: Decodable {
    var originalTransactionId: String?
    var productId: String?
    var autoRenewProductId: String?
    var autoRenewStatus: Int64?
    var expirationIntent: Int64?
    var isInBillingRetryPeriod: Bool?
    var gracePeriodExpiresDate: Double?
    var priceIncreaseStatus: Int64?
    var offerType: Int64?
    var offerIdentifier: String?
    var offerDiscountType: String?
    var offerPeriod: String?
    var recentSubscriptionStartDate: Double?
    var renewalDate: Double?
    var renewalPrice: Int64?
    var currency: String?
    var eligibleWinBackOfferIds: [String]?
    var appAccountToken: String?
    var appTransactionId: String?
    var environment: String?
    var signedDate: Double?
    var renewalBillingPlanType: String?
    var deviceVerification: String?
    var deviceVerificationNonce: String?
    var commitmentInfo: RenewalCommitmentMirror?

    private func expectSameFirst(as payload: RenewalPayload) {
        #expect(payload.originalTransactionId?.rawValue == originalTransactionId)
        #expect(payload.productId?.rawValue == productId)
        #expect(payload.autoRenewProductId?.rawValue == autoRenewProductId)
        #expect(payload.autoRenewStatus?.rawValue == autoRenewStatus)
        #expect(payload.expirationIntent?.rawValue == expirationIntent)
        #expect(payload.isInBillingRetryPeriod == isInBillingRetryPeriod)
        #expect(
            payload.gracePeriodExpiresDate?.milliseconds
                == gracePeriodExpiresDate.map(wholeMilliseconds))
        #expect(payload.priceIncreaseStatus?.rawValue == priceIncreaseStatus)
        #expect(payload.offerType?.rawValue == offerType)
        #expect(payload.offerIdentifier == offerIdentifier)
        #expect(payload.offerDiscountType?.rawValue == offerDiscountType)
        #expect(payload.offerPeriod == offerPeriod)
        #expect(
            payload.recentSubscriptionStartDate?.milliseconds
                == recentSubscriptionStartDate.map(wholeMilliseconds))
        #expect(payload.renewalDate?.milliseconds == renewalDate.map(wholeMilliseconds))
        #expect(payload.renewalPrice == renewalPrice)
        #expect(payload.currency == currency)
        #expect(payload.eligibleWinBackOfferIds == eligibleWinBackOfferIds)
        #expect(payload.appAccountToken == appAccountToken)
    }

    private func expectSameSecond(as payload: RenewalPayload) {
        #expect(payload.appTransactionId?.rawValue == appTransactionId)
        #expect(payload.environment?.rawValue == environment)
        #expect(payload.signedDate?.milliseconds == signedDate.map(wholeMilliseconds))
        #expect(payload.renewalBillingPlanType?.rawValue == renewalBillingPlanType)
        #expect(payload.deviceVerification == deviceVerification)
        #expect(payload.deviceVerificationNonce == deviceVerificationNonce)
    }

    func expectSame(as payload: RenewalPayload) {
        expectSameFirst(as: payload)
        expectSameSecond(as: payload)
        #expect((payload.commitmentInfo == nil) == (commitmentInfo == nil))
        if let commitmentInfo, let inner = payload.commitmentInfo {
            commitmentInfo.expectSame(as: inner)
        }
    }
}

/// `RenewalCommitmentInfo` as Foundation decodes it.
struct RenewalCommitmentMirror: Decodable {
    var commitmentAutoRenewProductId: String?
    var commitmentAutoRenewStatus: Int64?
    var commitmentRenewalBillingPlanType: String?
    var commitmentRenewalDate: Double?
    var commitmentRenewalPrice: Int64?

    func expectSame(as payload: RenewalCommitmentInfo) {
        #expect(payload.commitmentAutoRenewProductId?.rawValue == commitmentAutoRenewProductId)
        #expect(payload.commitmentAutoRenewStatus?.rawValue == commitmentAutoRenewStatus)
        #expect(
            payload.commitmentRenewalBillingPlanType?.rawValue == commitmentRenewalBillingPlanType)
        #expect(
            payload.commitmentRenewalDate?.milliseconds
                == commitmentRenewalDate.map(wholeMilliseconds))
        #expect(payload.commitmentRenewalPrice == commitmentRenewalPrice)
    }
}
