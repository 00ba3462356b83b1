/// A version 1 server notification (responseBodyV1, deprecated 2023-06-05, still sent):
/// https://developer.apple.com/documentation/appstoreservernotifications/responsebodyv1
///
/// It is unsigned and authenticated only by `password`, the app's shared secret, which is not
/// stored here.
public struct NotificationV1: Hashable, Sendable {
    public var notificationType: Raw<NotificationTypeV1>?
    /// "Sandbox" or "PROD", or the receipt's environment (which is "Production" there) if only the
    /// receipt has one; nil if neither has.
    public var environment: String?
    public var bundleId: BundleId?
    /// The chain that it is about.
    public var originalTransactionId: OriginalTransactionId?
    public var webOrderLineItemId: WebOrderLineItemId?
    public var cancellationDate: Timestamp?
    public var autoRenewStatusChangeDate: Timestamp?
    /// The renewal stated outside the receipt; the list inside it, if present, has more.
    public var renewal: PendingRenewalInfo
    /// From `unified_receipt`, or from the fields that preceded it before 2020.
    public var transactions: [ReceiptTransaction]
    public var pendingRenewalInfo: [PendingRenewalInfo]
    /// The newest app receipt, in base64.
    public var latestReceipt: String?

    /// Throws `JSONError` if a known field has another type, or a date beyond the year 9999.
    ///
    /// - `clampsDates`: for a stored body: such dates are read as the nearest valid ones.
    public init(_ body: JSONValue, clampsDates: Bool = false) throws(JSONError) {
        let fields = try BodyFields(body, "body", clampsDates: clampsDates)
        notificationType = try fields.text("notification_type").map { Raw(rawValue: $0) }
        originalTransactionId = try fields.identifier("original_transaction_id")
        webOrderLineItemId = try fields.identifier("web_order_line_item_id")
        cancellationDate = try fields.date("cancellation_date")
        autoRenewStatusChangeDate = try fields.date("auto_renew_status_change_date")
        renewal = try PendingRenewalInfo(fields)
        let unified = try fields.object("unified_receipt")
        let holder = unified ?? fields
        let ofReceipt = try unified?.text("environment")
        environment = try fields.text("environment") ?? ofReceipt
        transactions = try holder.latestReceiptInfo()
        pendingRenewalInfo = try holder.objects("pending_renewal_info")
            .map(PendingRenewalInfo.init)
        latestReceipt = try holder.text("latest_receipt")
        let named = transactions.lazy.compactMap(\.bundleId).first
        bundleId = try fields.text("bid").map { BundleId($0) } ?? named
    }

    /// The environment by its ledger name: Apple writes PROD here and Production elsewhere.
    package var namedEnvironment: String? {
        environment == "PROD" ? Environment.production.rawValue : environment
    }

    /// The latest past date inside, for a body whose receipt is unreadable. A failure to renew is
    /// sent at the end of the newest period, so that end is included; otherwise the period's start
    /// would be the latest.
    public var latestPast: Timestamp? {
        var dates = transactions.map(\.latestPast) + [cancellationDate, autoRenewStatusChangeDate]
        if notificationType?.value == .didFailToRenew {
            dates.append(newestEnd)
        }
        return dates.compactMap { $0 }.max()
    }

    /// The end of the newest purchase; a purchase replaced by an upgrade may have a later one. A
    /// copy restored at or after its end has that date, and was bought before the end.
    private var newestEnd: Timestamp? {
        let renewing = transactions.compactMap { transaction in
            transaction.expiresDate.map { end in
                (bought: min(transaction.purchaseDate ?? end, end), end: end)
            }
        }
        return renewing.max { $0 < $1 }?.end
    }
}
