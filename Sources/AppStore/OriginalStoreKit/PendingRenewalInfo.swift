/// Status of a subscription's next renewal: an element of `pending_renewal_info`
/// (https://developer.apple.com/documentation/appstorereceipts/responsebody/pending_renewal_info).
public struct PendingRenewalInfo: Hashable, Sendable {
    public var originalTransactionId: OriginalTransactionId?
    public var productId: ProductId?
    public var autoRenewProductId: ProductId?
    public var autoRenewStatus: Raw<AutoRenewStatus>?
    public var expirationIntent: Raw<ExpirationIntent>?
    public var isInBillingRetryPeriod: Bool?
    public var gracePeriodExpiresDate: Timestamp?
    /// Whether the customer consented to a higher price: from `price_consent_status` or
    /// `price_increase_status`, which have the same numbers.
    public var priceIncreaseStatus: Raw<PriceIncreaseStatus>?
    public var promotionalOfferId: String?
    public var offerCodeRefName: String?

    public init() {}

    init(_ fields: BodyFields) throws(JSONError) {
        originalTransactionId = try fields.identifier("original_transaction_id")
        productId = try fields.identifier("product_id")
        autoRenewProductId = try fields.identifier("auto_renew_product_id")
        autoRenewStatus = try PendingRenewalInfo.autoRenewStatus(fields)
        expirationIntent = try fields.integer("expiration_intent").map { Raw(rawValue: $0) }
        isInBillingRetryPeriod = try fields.truth("is_in_billing_retry_period")
        gracePeriodExpiresDate = try fields.date("grace_period_expires_date")
        let consent = try fields.integer("price_consent_status")
        let increase = try fields.integer("price_increase_status")
        priceIncreaseStatus = (increase ?? consent).map { Raw(rawValue: $0) }
        promotionalOfferId = try fields.text("promotional_offer_id")
        offerCodeRefName = try fields.text("offer_code_ref_name")
    }

    /// Outside the list, in notifications and the oldest responses, "true" and "false" mean 1 and
    /// 0.
    private static func autoRenewStatus(
        _ fields: BodyFields
    ) throws(JSONError) -> Raw<AutoRenewStatus>? {
        if let truth = try? fields.truth("auto_renew_status") { return Raw(truth ? .on : .off) }
        return try fields.integer("auto_renew_status").map { Raw(rawValue: $0) }
    }

    /// Whether any renewal field is stated.
    public var hasRenewalState: Bool {
        autoRenewStatus != nil || autoRenewProductId != nil || expirationIntent != nil
            || isInBillingRetryPeriod != nil || gracePeriodExpiresDate != nil
            || priceIncreaseStatus != nil
    }
}
