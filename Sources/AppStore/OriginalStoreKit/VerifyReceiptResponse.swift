/// The response of Apple's verifyReceipt (deprecated 2023-06-05):
/// https://developer.apple.com/documentation/appstorereceipts/responsebody
public struct VerifyReceiptResponse: Hashable, Sendable {
    public var status: Raw<VerifyReceiptStatus>
    /// "Sandbox" or "Production"; absent in the oldest responses.
    public var environment: String?
    /// For statuses 21100 to 21199: whether a retry may help.
    public var isRetryable: Bool?
    /// The newest app receipt, in base64.
    public var latestReceipt: String?
    public var latestReceiptInfo: [ReceiptTransaction] = []
    public var pendingRenewalInfo: [PendingRenewalInfo] = []
    public var receipt: Receipt?

    /// The submitted receipt, decoded by Apple.
    public struct Receipt: Hashable, Sendable {
        public var bundleId: BundleId?
        /// Production, ProductionVPP, ProductionSandbox, ProductionVPPSandbox.
        public var receiptType: String?
        public var receiptCreationDate: Timestamp?
        /// Time of the request.
        public var requestDate: Timestamp?
        /// For an app receipt `in_app`; for an old transaction receipt its one transaction.
        public var inApp: [ReceiptTransaction] = []
    }

    /// Throws `JSONError` if the body is not JSON, a known field has another type, or a date is
    /// beyond the year 9999.
    ///
    /// - `clampsDates`: for a stored body: such dates are read as the nearest valid ones.
    public init(_ body: [UInt8], clampsDates: Bool = false) throws(JSONError) {
        let fields = try BodyFields(JSONValue.parse(body), "body", clampsDates: clampsDates)
        guard let status = try fields.integer("status") else {
            throw JSONError(.wrongType, offset: 0, field: "status")
        }
        self.status = Raw(rawValue: status)
        environment = try fields.text("environment")
        isRetryable = try fields.truth("is-retryable")
        latestReceipt = try fields.text("latest_receipt")
        latestReceiptInfo = try fields.latestReceiptInfo()
        if let inner = try fields.object("receipt") { receipt = try Receipt(inner) }
        pendingRenewalInfo = try fields.objects("pending_renewal_info")
            .map(PendingRenewalInfo.init)
        try readRenewalOutsideReceipt(fields)
    }

    /// Responses about old transaction receipts state the renewal outside the receipt.
    private mutating func readRenewalOutsideReceipt(_ fields: BodyFields) throws(JSONError) {
        guard pendingRenewalInfo.isEmpty else { return }
        var pending = try PendingRenewalInfo(fields)
        let listed = latestReceiptInfo.isEmpty ? receipt?.inApp ?? [] : latestReceiptInfo
        // The newest purchase, in any order of the list; a copy's date may be that of a restore.
        let newest = listed.max { left, right in
            let dates = [left, right].map { purchase -> Int64 in
                let date = purchase.purchaseDate?.milliseconds ?? .min
                return min(date, purchase.expiresDate?.milliseconds ?? date)
            }
            if dates[0] != dates[1] { return dates[0] < dates[1] }
            return (left.transactionId?.rawValue ?? "") < (right.transactionId?.rawValue ?? "")
        }
        pending.originalTransactionId =
            pending.originalTransactionId ?? newest?.originalTransactionId
        pending.productId = pending.productId ?? newest?.productId
        if pending.hasRenewalState, pending.originalTransactionId != nil {
            pendingRenewalInfo = [pending]
        }
    }

    /// The app of the whole response; nil if none is named.
    public var bundleId: BundleId? {
        receipt?.bundleId ?? transactions.lazy.compactMap(\.bundleId).first
    }

    /// Every transaction of the response, the newer list first.
    public var transactions: [ReceiptTransaction] { latestReceiptInfo + (receipt?.inApp ?? []) }

    /// Time of the statement: the request's date, else the latest past date inside.
    public var statedAt: Timestamp? {
        receipt?.requestDate
            ?? ([receipt?.receiptCreationDate] + transactions.map(\.latestPast))
            .compactMap { $0 }.max()
    }
}

extension VerifyReceiptResponse.Receipt {
    init(_ fields: BodyFields) throws(JSONError) {
        let bid = try fields.text("bid")
        bundleId = try (fields.text("bundle_id") ?? bid).map { BundleId($0) }
        receiptType = try fields.text("receipt_type")
        receiptCreationDate = try fields.date("receipt_creation_date")
        requestDate = try fields.date("request_date")
        if fields["in_app"] != nil {
            inApp = try fields.objects("in_app").map(ReceiptTransaction.init)
        } else if fields["transaction_id"] != nil {
            inApp = [try ReceiptTransaction(fields)]
        }
    }
}
