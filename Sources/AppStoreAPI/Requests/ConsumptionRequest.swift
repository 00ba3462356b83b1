public import AppStore

/// Data for Apple's decision about a refund (App Store Server API, Send Consumption Information,
/// version 2). Only with the customer's consent.
public struct ConsumptionRequest: APIObject {
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

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("customerConsented", &customerConsented)
        visitor.visit("sampleContentProvided", &sampleContentProvided)
        visitor.visit("deliveryStatus", &deliveryStatus)
        visitor.visit("consumptionPercentage", &consumptionPercentage)
        visitor.visit("refundPreference", &refundPreference)
    }
}
