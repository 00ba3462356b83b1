/// A decoded transaction (App Store Server API, `JWSTransactionDecodedPayload`). Every field may be
/// absent; dates are milliseconds since 1970 on the wire.
public struct TransactionPayload: WireObject {
    /// This purchase, renewal or restore.
    public var transactionId: TransactionId?
    /// The chain. Equals transactionId on the first purchase.
    public var originalTransactionId: OriginalTransactionId?
    /// Auto-renewable subscriptions only.
    public var webOrderLineItemId: WebOrderLineItemId?
    /// The app.
    public var bundleId: BundleId?
    /// The product.
    public var productId: ProductId?
    /// Auto-renewable subscriptions only.
    public var subscriptionGroupIdentifier: SubscriptionGroupIdentifier?
    /// Start of this purchase, renewal or restore.
    public var purchaseDate: Timestamp?
    /// Purchase of the original transaction.
    public var originalPurchaseDate: Timestamp?
    /// End of the period of an auto-renewable subscription.
    public var expiresDate: Timestamp?
    /// Number of consumables or seats.
    public var quantity: Int64?
    /// Kind of product.
    public var type: Raw<ProductType>?
    /// UUID given by the developer at purchase, as received.
    public var appAccountToken: String?
    /// Whose purchase gives access.
    public var inAppOwnershipType: Raw<InAppOwnershipType>?
    /// When Apple signed this snapshot. Absent before mid-2022.
    public var signedDate: Timestamp?
    /// When the transaction was refunded or revoked.
    public var revocationDate: Timestamp?
    /// Why; 0 for all family revocations.
    public var revocationReason: Raw<RevocationReason>?
    /// Since 2025-12.
    public var revocationType: Raw<RevocationType>?
    /// Part refunded in thousandths of a percent, 0…100000.
    public var revocationPercentage: Int64?
    /// Whether the customer upgraded from this transaction to another. Present only if true.
    public var isUpgraded: Bool?
    /// Kind of offer this purchase used.
    public var offerType: Raw<OfferType>?
    /// Absent for introductory offers.
    public var offerIdentifier: String?
    /// How the offer is paid. Since 2023-10.
    public var offerDiscountType: Raw<OfferDiscountType>?
    /// ISO 8601 period, e.g. `P1M`; see `ISO8601Period`.
    public var offerPeriod: String?
    /// Absent before 2022-02.
    public var environment: Raw<Environment>?
    /// ISO 3166-1 alpha-3.
    public var storefront: String?
    /// Apple's number of the storefront.
    public var storefrontId: String?
    /// Since 2023-06.
    public var transactionReason: Raw<TransactionReason>?
    /// Milliunits of the currency, for the whole quantity, after any offer. Not for accounting.
    /// Since 2023-10.
    public var price: Int64?
    /// ISO 4217; present with price.
    public var currency: String?
    /// Since 2025-02.
    public var appTransactionId: AppTransactionId?
    /// Since 2026-04.
    public var billingPlanType: Raw<BillingPlanType>?
    /// Since 2026-04.
    public var commitmentInfo: TransactionCommitmentInfo?
    /// Present for Advanced Commerce products only.
    public var advancedCommerceInfo: AdvancedCommerceTransactionInfo?
    /// The chain replaced by this one.
    public var previousOriginalTransactionId: OriginalTransactionId?
    /// Base64; only in transactions from a device.
    public var deviceVerification: String?
    /// UUID; only in transactions from a device.
    public var deviceVerificationNonce: String?

    public var unknown: [JSONMember] = []

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("transactionId", &transactionId)
        visitor.visit("originalTransactionId", &originalTransactionId)
        visitor.visit("webOrderLineItemId", &webOrderLineItemId)
        visitor.visit("bundleId", &bundleId)
        visitor.visit("productId", &productId)
        visitor.visit("subscriptionGroupIdentifier", &subscriptionGroupIdentifier)
        visitor.visit("purchaseDate", &purchaseDate)
        visitor.visit("originalPurchaseDate", &originalPurchaseDate)
        visitor.visit("expiresDate", &expiresDate)
        visitor.visit("quantity", &quantity)
        visitor.visit("type", &type)
        visitor.visit("appAccountToken", &appAccountToken)
        visitor.visit("inAppOwnershipType", &inAppOwnershipType)
        visitor.visit("signedDate", &signedDate)
        visitor.visit("revocationDate", &revocationDate)
        visitor.visit("revocationReason", &revocationReason)
        visitor.visit("revocationType", &revocationType)
        visitor.visit("revocationPercentage", &revocationPercentage)
        visitor.visit("isUpgraded", &isUpgraded)
        visitor.visit("offerType", &offerType)
        visitor.visit("offerIdentifier", &offerIdentifier)
        visitor.visit("offerDiscountType", &offerDiscountType)
        visitor.visit("offerPeriod", &offerPeriod)
        visitor.visit("environment", &environment)
        visitor.visit("storefront", &storefront)
        visitor.visit("storefrontId", &storefrontId)
        visitor.visit("transactionReason", &transactionReason)
        visitor.visit("price", &price)
        visitor.visit("currency", &currency)
        visitor.visit("appTransactionId", &appTransactionId)
        visitor.visit("billingPlanType", &billingPlanType)
        visitor.visit("commitmentInfo", &commitmentInfo)
        visitor.visit("advancedCommerceInfo", &advancedCommerceInfo)
        visitor.visit("previousOriginalTransactionId", &previousOriginalTransactionId)
        visitor.visit("deviceVerification", &deviceVerification)
        visitor.visit("deviceVerificationNonce", &deviceVerificationNonce)
    }
}
