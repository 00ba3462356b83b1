/// A decoded renewal info (App Store Server API, `JWSRenewalInfoDecodedPayload`). It has no bundle
/// id: it belongs to the verified envelope it came in.
public struct RenewalPayload: WireObject {
    /// The chain.
    public var originalTransactionId: OriginalTransactionId?
    /// The current product.
    public var productId: ProductId?
    /// The product of the next renewal; if it differs from productId, a change is pending.
    public var autoRenewProductId: ProductId?
    /// Whether the subscription renews at the end of its period.
    public var autoRenewStatus: Raw<AutoRenewStatus>?
    /// Present if expired or in billing retry.
    public var expirationIntent: Raw<ExpirationIntent>?
    /// Whether Apple is still trying to charge.
    public var isInBillingRetryPeriod: Bool?
    /// Only in grace.
    public var gracePeriodExpiresDate: Timestamp?
    /// Absent without an increase.
    public var priceIncreaseStatus: Raw<PriceIncreaseStatus>?
    /// The next renewal's offer, as all offer fields here.
    public var offerType: Raw<OfferType>?
    /// Absent for introductory offers.
    public var offerIdentifier: String?
    /// How the offer is paid. Since 2023-10.
    public var offerDiscountType: Raw<OfferDiscountType>?
    /// ISO 8601 period, e.g. `P1M`; see `ISO8601Period`.
    public var offerPeriod: String?
    /// Earliest start when gaps of up to 60 days are ignored.
    public var recentSubscriptionStartDate: Timestamp?
    /// When the renewal of the current period is due; may be past.
    public var renewalDate: Timestamp?
    /// Milliunits of the currency, for the next renewal. Absent if auto-renewal is off.
    public var renewalPrice: Int64?
    /// ISO 4217.
    public var currency: String?
    /// Best first.
    public var eligibleWinBackOfferIds: [String]?
    /// UUID for the next renewal, as received.
    public var appAccountToken: String?
    /// Customer and app. Since 2025-02.
    public var appTransactionId: AppTransactionId?
    /// Absent before 2022-02.
    public var environment: Raw<Environment>?
    /// When Apple signed this snapshot. Absent before mid-2022.
    public var signedDate: Timestamp?
    /// How the next period is paid. Since 2026-04.
    public var renewalBillingPlanType: Raw<BillingPlanType>?
    /// Since 2026-04.
    public var commitmentInfo: RenewalCommitmentInfo?
    /// Present for Advanced Commerce products only.
    public var advancedCommerceInfo: AdvancedCommerceRenewalInfo?
    /// Base64; only in renewal infos from a device.
    public var deviceVerification: String?
    /// UUID; only in renewal infos from a device.
    public var deviceVerificationNonce: String?

    public var unknown: [JSONMember] = []

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("originalTransactionId", &originalTransactionId)
        visitor.visit("productId", &productId)
        visitor.visit("autoRenewProductId", &autoRenewProductId)
        visitor.visit("autoRenewStatus", &autoRenewStatus)
        visitor.visit("expirationIntent", &expirationIntent)
        visitor.visit("isInBillingRetryPeriod", &isInBillingRetryPeriod)
        visitor.visit("gracePeriodExpiresDate", &gracePeriodExpiresDate)
        visitor.visit("priceIncreaseStatus", &priceIncreaseStatus)
        visitor.visit("offerType", &offerType)
        visitor.visit("offerIdentifier", &offerIdentifier)
        visitor.visit("offerDiscountType", &offerDiscountType)
        visitor.visit("offerPeriod", &offerPeriod)
        visitor.visit("recentSubscriptionStartDate", &recentSubscriptionStartDate)
        visitor.visit("renewalDate", &renewalDate)
        visitor.visit("renewalPrice", &renewalPrice)
        visitor.visit("currency", &currency)
        visitor.visit("eligibleWinBackOfferIds", &eligibleWinBackOfferIds)
        visitor.visit("appAccountToken", &appAccountToken)
        visitor.visit("appTransactionId", &appTransactionId)
        visitor.visit("environment", &environment)
        visitor.visit("signedDate", &signedDate)
        visitor.visit("renewalBillingPlanType", &renewalBillingPlanType)
        visitor.visit("commitmentInfo", &commitmentInfo)
        visitor.visit("advancedCommerceInfo", &advancedCommerceInfo)
        visitor.visit("deviceVerification", &deviceVerification)
        visitor.visit("deviceVerificationNonce", &deviceVerificationNonce)
    }
}
