public import AppStore

/// Result of extending one subscription (App Store Server API, Extend a Subscription Renewal Date).
public struct ExtendRenewalDateResponse: WireObject {
    /// The chain.
    public var originalTransactionId: OriginalTransactionId?
    /// The extended period.
    public var webOrderLineItemId: WebOrderLineItemId?
    /// Whether it was extended.
    public var success: Bool?
    /// The new renewal date.
    public var effectiveDate: Timestamp?

    /// Members with unknown keys, in order.
    public var unknown = UnknownMembers()

    /// All fields absent.
    public init() {}

    public mutating func readField(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool {
        switch key {
        case "originalTransactionId": try cursor.read(&originalTransactionId, key)
        case "webOrderLineItemId": try cursor.read(&webOrderLineItemId, key)
        case "success": try cursor.read(&success, key)
        case "effectiveDate": try cursor.read(&effectiveDate, key)
        default: return false
        }
        return true
    }

    public func writeFields(_ json: inout JSONWriter) {
        json.memberIfPresent("originalTransactionId", originalTransactionId)
        json.memberIfPresent("webOrderLineItemId", webOrderLineItemId)
        json.memberIfPresent("success", success)
        json.memberIfPresent("effectiveDate", effectiveDate?.milliseconds)
    }
}
