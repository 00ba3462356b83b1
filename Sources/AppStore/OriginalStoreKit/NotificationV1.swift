/// A version 1 server notification (responseBodyV1, deprecated 2023-06-05, still sent):
/// https://developer.apple.com/documentation/appstoreservernotifications/responsebodyv1
///
/// Nothing of it is signed: `password`, the app's shared secret, is all that vouches for it, and is
/// not kept here.
public struct NotificationV1: Hashable, Sendable {
    public var notificationType: Raw<NotificationTypeV1>?
    /// "Sandbox" or "PROD"; of the receipt inside, where "Production" is the word, when it stands
    /// there alone; nil where nothing names one.
    public var environment: String?
    public var bundleId: BundleId?
    /// Which of the chains inside it is about.
    public var originalTransactionId: OriginalTransactionId?
    public var webOrderLineItemId: WebOrderLineItemId?
    public var cancellationDate: Timestamp?
    public var autoRenewStatusChangeDate: Timestamp?
    /// What is stated beside the receipt; the list inside it, where there is one, says more.
    public var renewal: PendingRenewalInfo
    /// Of `unified_receipt`, or of the fields that stood in its place before 2020.
    public var transactions: [ReceiptTransaction]
    public var pendingRenewalInfo: [PendingRenewalInfo]
    /// The newest app receipt, in base64.
    public var latestReceipt: String?

    /// Throws `JSONError` where a known field holds another type, or a date beyond the year 9999.
    ///
    /// - Parameter clampsDates: of a body that a log holds: such dates are the nearest before.
    public init(_ body: JSONValue, clampsDates: Bool = false) throws(JSONError) {
        let fields = try BodyFields(body, "body", clampsDates: clampsDates)
        notificationType = try fields.text("notification_type").map { Raw(rawValue: $0) }
        originalTransactionId = try fields.text("original_transaction_id").map {
            OriginalTransactionId($0)
        }
        webOrderLineItemId = try fields.text("web_order_line_item_id").map {
            WebOrderLineItemId($0)
        }
        cancellationDate = try fields.date("cancellation_date")
        autoRenewStatusChangeDate = try fields.date("auto_renew_status_change_date")
        renewal = try PendingRenewalInfo(fields)
        let unified = try fields.object("unified_receipt")
        let holder = unified ?? fields
        let ofReceipt = try unified?.text("environment")
        environment = try fields.text("environment") ?? ofReceipt
        transactions =
            try ReceiptTransaction.list(holder, "latest_receipt_info")
            + ReceiptTransaction.list(holder, "latest_expired_receipt_info")
        pendingRenewalInfo = try PendingRenewalInfo.list(holder, "pending_renewal_info")
        latestReceipt = try holder.text("latest_receipt")
        let named = transactions.lazy.compactMap(\.bundleId).first
        bundleId = try fields.text("bid").map { BundleId($0) } ?? named
    }

    /// The latest date inside that is past, for a body whose receipt cannot be read. A failure to
    /// renew is told when the newest period ends, whose beginning would else be the latest.
    public var latestPast: Timestamp? {
        var dates = transactions.map(\.latestPast) + [cancellationDate, autoRenewStatusChangeDate]
        if notificationType?.value == .didFailToRenew {
            dates.append(newestEnd)
        }
        return dates.compactMap { $0 }.max()
    }

    /// The end of what was bought last: what an upgrade replaced may state a later one.
    private var newestEnd: Timestamp? {
        let renewing = transactions.compactMap { transaction in
            transaction.expiresDate.map { (bought: transaction.purchaseDate ?? $0, end: $0) }
        }
        return renewing.max { $0 < $1 }?.end
    }
}
