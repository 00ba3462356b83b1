public import AppStore

/// Extends every active subscription to a product (App Store Server API, Extend Subscription
/// Renewal Dates for All Active Subscribers).
public struct MassExtendRenewalDateRequest: APIObject {
    /// The caller's identifier: a UUID.
    public var requestIdentifier: String?
    /// 1 to 90.
    public var extendByDays: Int64?
    /// The reason; Apple may show it to the customers.
    public var extendReasonCode: Raw<ExtendReasonCode>?
    public var productId: ProductId?
    /// ISO 3166-1 alpha-3. Absent: all; an empty list is an error.
    public var storefrontCountryCodes: [String]?

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("requestIdentifier", &requestIdentifier)
        visitor.visit("extendByDays", &extendByDays)
        visitor.visit("extendReasonCode", &extendReasonCode)
        visitor.visit("productId", &productId)
        visitor.visit("storefrontCountryCodes", &storefrontCountryCodes)
    }
}
