package import AppStore

/// Converts JSON objects into lines: NDJSON, or comma-separated values (RFC 4180) with one column
/// per scalar, nested members named with a dot, lists as JSON.
package struct ExportLines {
    private let columns: [String]?
    private let isRaw: Bool
    private var json = JSONWriter(reservingCapacity: 64 * 1024)
    private var text: [UInt8] = []

    init(subject: Export.Subject, format: Export.Format, withEvidence: Bool) {
        let evidence = subject == .events && withEvidence ? ["signedPayload"] : []
        self.init(columns: ExportLines.columns(subject) + evidence, format: format)
    }

    package init(columns: [String], format: Export.Format) {
        self.columns = format == .ndjson ? nil : columns
        isRaw = format == .rawCSV
    }

    /// The first line of a CSV file.
    package var header: [UInt8]? { columns?.csvLine(isRaw: true) }

    package mutating func add(_ body: (inout JSONWriter) -> Void) {
        guard let columns else {
            body(&json)
            json.newline()
            return
        }
        var object = JSONWriter()
        body(&object)
        guard let value = try? JSONValue.parse(object.bytes) else { return }
        text += columns.map { column -> String in
            let found = column.split(separator: ".").reduce(value) { $0[String($1)] ?? .null }
            if found.isNull { return "" }
            return found.string ?? String(decoding: found.encoded(), as: UTF8.self)
        }.csvLine(isRaw: isRaw)
    }

    /// The lines added since the last call.
    package mutating func take() -> [UInt8] {
        defer {
            json.removeAll()
            text.removeAll(keepingCapacity: true)
        }
        return columns == nil ? json.bytes : text
    }

    private static func columns(_ subject: Export.Subject) -> [String] {
        let chain = ["environment", "bundleId", "originalTransactionId"]
        let cause = [
            "position", "kind", "trust", "notificationType", "subtype", "notificationUUID",
            "signedDate", "receivedAt", "lateness", "events",
        ].map { "cause.\($0)" }
        switch subject {
        case .subscriptions: return chain + subscriptionColumns
        case .transitions:
            return chain + ["at", "from", "to", "reason", "productId", "transactionId"] + cause
        case .facts:
            return chain + ["at", "fact", "productId", "transactionId"] + cause + [
                "refund.amount.milliunits", "refund.amount.currency", "refund.from", "refund.to",
                "change.from", "change.to",
            ] + commandColumns
        case .events:
            return [
                "position", "key", "kind", "source", "trust", "conflict", "receivedAtClaimed",
                "rootFingerprint", "environment", "bundleId", "originalTransactionId",
                "notificationType", "subtype", "notificationUUID", "signedDate", "receivedAt",
                "leafHash",
            ]
        }
    }

    /// Of an operator's command about a chain; those about a customer alone are in no export.
    private static let commandColumns = ["name", "id", "actor", "tokenName", "reason", "customer"]
        .map { "cause.command.\($0)" }

    private static let subscriptionColumns = [
        "at", "knownAt", "position", "completeThrough", "reducerVersion", "catalogueHash", "state",
        "entitled", "appleStatus", "since", "until", "accessUntil", "willRenew", "productId",
        "nextProductId", "phase", "ownership", "appAccountToken", "price.milliunits",
        "price.currency", "storefront", "transactionId", "offer.type", "offer.identifier",
        "offer.discountType", "offer.period", "commitment.billingPeriodNumber",
        "commitment.totalBillingPeriods", "commitment.expiresDate",
        "commitment.price.milliunits", "commitment.price.currency", "commitment.willRenew",
        "commitment.nextProductId", "priceIncrease", "cancellation.reason", "cancellation.at",
        "revocation.date", "revocation.reason", "revocation.type", "revocation.percentage",
        "notices", "evidence", "completeFrom", "trust", "appAccountTokenTrust", "endReason",
    ]
}
