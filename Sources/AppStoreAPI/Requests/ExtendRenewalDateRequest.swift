public import AppStore

/// Extends one subscription (App Store Server API, Extend a Subscription Renewal Date).
public struct ExtendRenewalDateRequest: WireObject {
    /// 1 to 90.
    public var extendByDays: Int64?
    /// The reason; Apple may show it to the customer.
    public var extendReasonCode: Raw<ExtendReasonCode>?
    /// The caller's identifier; at most 128 characters.
    public var requestIdentifier: String?

    /// Members with unknown keys, in order.
    public var unknown = UnknownMembers()

    /// All fields absent.
    public init() {}

    public mutating func readField(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool {
        switch key {
        case "extendByDays": try cursor.read(&extendByDays, key)
        case "extendReasonCode": try cursor.read(&extendReasonCode, key)
        case "requestIdentifier": try cursor.read(&requestIdentifier, key)
        default: return false
        }
        return true
    }

    public func writeFields(_ json: inout JSONWriter) {
        json.memberIfPresent("extendByDays", extendByDays)
        json.memberIfPresent("extendReasonCode", extendReasonCode)
        json.memberIfPresent("requestIdentifier", requestIdentifier)
    }

    public var unknownValues: [String] {
        var names: [String] = []
        if let extendReasonCode, extendReasonCode.value == nil { names.append("extendReasonCode") }
        return names
    }
}
