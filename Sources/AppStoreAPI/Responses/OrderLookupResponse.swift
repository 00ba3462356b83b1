public import AppStore

/// The purchases of an order (App Store Server API, Look Up Order ID).
public struct OrderLookupResponse: WireObject {
    /// Whether the order id is one of this app's.
    public var status: Raw<OrderLookupStatus>?
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
        case "status": try cursor.read(&status, key)
        case "signedTransactions": try cursor.read(&signedTransactions, key)
        default: return false
        }
        return true
    }

    public func writeFields(_ json: inout JSONWriter) {
        json.memberIfPresent("status", status)
        if let signedTransactions { json.array("signedTransactions", signedTransactions) }
    }

    public var unknownValues: [String] {
        var names: [String] = []
        if let status, status.value == nil { names.append("status") }
        return names
    }
}
