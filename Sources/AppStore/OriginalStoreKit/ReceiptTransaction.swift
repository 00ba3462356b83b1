/// One purchase or renewal of verifyReceipt or a version 1 notification: an element of `in_app` or
/// `latest_receipt_info`
/// (https://developer.apple.com/documentation/appstorereceipts/responsebody/latest_receipt_info).
public struct ReceiptTransaction: Hashable, Sendable {
    public var transactionId: TransactionId?
    public var originalTransactionId: OriginalTransactionId?
    public var webOrderLineItemId: WebOrderLineItemId?
    public var productId: ProductId?
    public var quantity: Int64?
    public var purchaseDate: Timestamp?
    public var originalPurchaseDate: Timestamp?
    /// Absent for products that do not renew.
    public var expiresDate: Timestamp?
    /// When the App Store refunded it, or replaced it by an upgrade.
    public var cancellationDate: Timestamp?
    public var cancellationReason: Raw<RevocationReason>?
    public var isTrialPeriod: Bool?
    public var isInIntroOfferPeriod: Bool?
    public var isUpgraded: Bool?
    public var promotionalOfferId: String?
    public var offerCodeRefName: String?
    public var subscriptionGroupIdentifier: SubscriptionGroupIdentifier?
    public var inAppOwnershipType: Raw<InAppOwnershipType>?
    public var appAccountToken: String?
    /// The app; only in the oldest bodies.
    public var bundleId: BundleId?

    public init() {}

    init(_ fields: BodyFields) throws(JSONError) {
        transactionId = try fields.identifier("transaction_id")
        originalTransactionId = try fields.identifier("original_transaction_id")
        webOrderLineItemId = try fields.identifier("web_order_line_item_id")
        productId = try fields.identifier("product_id")
        quantity = try fields.integer("quantity")
        purchaseDate = try fields.date("purchase_date")
        originalPurchaseDate = try fields.date("original_purchase_date")
        expiresDate = try fields.date("expires_date")
        cancellationDate = try fields.date("cancellation_date")
        cancellationReason = try fields.integer("cancellation_reason").map { Raw(rawValue: $0) }
        isTrialPeriod = try fields.truth("is_trial_period")
        isInIntroOfferPeriod = try fields.truth("is_in_intro_offer_period")
        isUpgraded = try fields.truth("is_upgraded")
        promotionalOfferId = try fields.text("promotional_offer_id")
        offerCodeRefName = try fields.text("offer_code_ref_name")
        subscriptionGroupIdentifier = try fields.identifier("subscription_group_identifier")
        inAppOwnershipType = try fields.text("in_app_ownership_type").map { Raw(rawValue: $0) }
        appAccountToken = try fields.text("app_account_token")
        bundleId = try fields.identifier("bid")
    }

    /// The latest date stated as past: purchase, original purchase, cancellation.
    var latestPast: Timestamp? {
        [purchaseDate, originalPurchaseDate, cancellationDate].compactMap { $0 }.max()
    }
}
