public import AppStore

/// One transaction (App Store Server API, Get Transaction Info).
public struct TransactionInfoResponse: WireObject {
    /// Compact JWS of a `TransactionPayload`.
    public var signedTransactionInfo: String?

    /// Members with unknown keys, in order.
    public var unknown = UnknownMembers()

    /// All fields absent.
    public init() {}

    public mutating func readField(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool {
        switch key {
        case "signedTransactionInfo": try cursor.read(&signedTransactionInfo, key)
        default: return false
        }
        return true
    }

    public func writeFields(_ json: inout JSONWriter) {
        json.memberIfPresent("signedTransactionInfo", signedTransactionInfo)
    }
}
