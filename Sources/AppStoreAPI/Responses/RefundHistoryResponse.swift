public import AppStore

/// A page of a customer's refunded transactions, by revocationDate (App Store Server API, Get
/// Refund History).
public struct RefundHistoryResponse: WireObject {
    /// Whether another page follows.
    public var hasMore: Bool?
    /// Token of the next page. May be stored, to resume from it later.
    public var revision: String?
    /// Compact JWS, each a `TransactionPayload`; at most 20 on a page.
    public var signedTransactions: [String]?

    /// Members with unknown keys, in order.
    public var unknown = UnknownMembers()

    /// All fields absent.
    public init() {}

    public mutating func readField(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool {
        switch key {
        case "hasMore": try cursor.read(&hasMore, key)
        case "revision": try cursor.read(&revision, key)
        case "signedTransactions": try cursor.read(&signedTransactions, key)
        default: return false
        }
        return true
    }

    public func writeFields(_ json: inout JSONWriter) {
        json.memberIfPresent("hasMore", hasMore)
        json.memberIfPresent("revision", revision)
        if let signedTransactions { json.array("signedTransactions", signedTransactions) }
    }
}
