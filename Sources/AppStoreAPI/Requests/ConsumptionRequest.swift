public import AppStore

/// Data for Apple's decision about a refund (App Store Server API, Send Consumption Information,
/// version 2). Only with the customer's consent.
public struct ConsumptionRequest: WireObject {
    /// Must be true.
    public var customerConsented: Bool?
    /// Whether sample content was available before the purchase.
    public var sampleContentProvided: Bool?
    /// Whether the purchase was delivered.
    public var deliveryStatus: Raw<DeliveryStatus>?
    /// Thousandths of a percent, 0 to 100000. Never for auto-renewable subscriptions.
    public var consumptionPercentage: Int64?
    /// The preferred result.
    public var refundPreference: Raw<RefundPreference>?

    /// Members with unknown keys, in order.
    public var unknown = UnknownMembers()

    /// All fields absent.
    public init() {}

    public mutating func readField(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool {
        switch key {
        case "customerConsented": try cursor.read(&customerConsented, key)
        case "sampleContentProvided": try cursor.read(&sampleContentProvided, key)
        case "deliveryStatus": try cursor.read(&deliveryStatus, key)
        case "consumptionPercentage": try cursor.read(&consumptionPercentage, key)
        case "refundPreference": try cursor.read(&refundPreference, key)
        default: return false
        }
        return true
    }

    public func writeFields(_ json: inout JSONWriter) {
        json.memberIfPresent("customerConsented", customerConsented)
        json.memberIfPresent("sampleContentProvided", sampleContentProvided)
        json.memberIfPresent("deliveryStatus", deliveryStatus)
        json.memberIfPresent("consumptionPercentage", consumptionPercentage)
        json.memberIfPresent("refundPreference", refundPreference)
    }

    public var unknownValues: [String] {
        var names: [String] = []
        if let deliveryStatus, deliveryStatus.value == nil { names.append("deliveryStatus") }
        if let refundPreference, refundPreference.value == nil { names.append("refundPreference") }
        return names
    }
}
