public import AppStore

/// Extends every active subscription to a product (App Store Server API, Extend Subscription
/// Renewal Dates for All Active Subscribers).
public struct MassExtendRenewalDateRequest: WireObject {
    /// The caller's identifier: a UUID.
    public var requestIdentifier: String?
    /// 1 to 90.
    public var extendByDays: Int64?
    /// The reason; Apple may show it to the customers.
    public var extendReasonCode: Raw<ExtendReasonCode>?
    /// The subscription.
    public var productId: ProductId?
    /// ISO 3166-1 alpha-3. Absent: all; an empty list is an error.
    public var storefrontCountryCodes: [String]?

    /// Members with unknown keys, in order.
    public var unknown = UnknownMembers()

    /// All fields absent.
    public init() {}

    public mutating func readField(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool {
        switch key {
        case "requestIdentifier": try cursor.read(&requestIdentifier, key)
        case "extendByDays": try cursor.read(&extendByDays, key)
        case "extendReasonCode": try cursor.read(&extendReasonCode, key)
        case "productId": try cursor.read(&productId, key)
        case "storefrontCountryCodes": try cursor.read(&storefrontCountryCodes, key)
        default: return false
        }
        return true
    }

    public func writeFields(_ json: inout JSONWriter) {
        json.memberIfPresent("requestIdentifier", requestIdentifier)
        json.memberIfPresent("extendByDays", extendByDays)
        json.memberIfPresent("extendReasonCode", extendReasonCode)
        json.memberIfPresent("productId", productId)
        if let storefrontCountryCodes {
            json.array("storefrontCountryCodes", storefrontCountryCodes)
        }
    }

    public var unknownValues: [String] {
        var names: [String] = []
        if let extendReasonCode, extendReasonCode.value == nil { names.append("extendReasonCode") }
        return names
    }
}
