public import AppStore

/// The current status of one chain (App Store Server API, `lastTransactionsItem`), unsigned.
public struct LastTransactionsItem: WireObject {
    /// The chain.
    public var originalTransactionId: OriginalTransactionId?
    /// The current state according to Apple.
    public var status: Raw<SubscriptionStatus>?
    /// Compact JWS of the newest `TransactionPayload`.
    public var signedTransactionInfo: String?
    /// Compact JWS of its `RenewalPayload`.
    public var signedRenewalInfo: String?

    /// Members with unknown keys, in order.
    public var unknown = UnknownMembers()

    /// All fields absent.
    public init() {}

    public mutating func readField(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool {
        switch key {
        case "originalTransactionId": try cursor.read(&originalTransactionId, key)
        case "status": try cursor.read(&status, key)
        case "signedTransactionInfo": try cursor.read(&signedTransactionInfo, key)
        case "signedRenewalInfo": try cursor.read(&signedRenewalInfo, key)
        default: return false
        }
        return true
    }

    public func writeFields(_ json: inout JSONWriter) {
        json.memberIfPresent("originalTransactionId", originalTransactionId)
        json.memberIfPresent("status", status)
        json.memberIfPresent("signedTransactionInfo", signedTransactionInfo)
        json.memberIfPresent("signedRenewalInfo", signedRenewalInfo)
    }

    public var unknownValues: [String] {
        var names: [String] = []
        if let status, status.value == nil { names.append("status") }
        return names
    }
}
