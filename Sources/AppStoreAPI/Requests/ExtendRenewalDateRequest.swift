public import AppStore

/// Extends one subscription (App Store Server API, Extend a Subscription Renewal Date).
public struct ExtendRenewalDateRequest: APIObject {
    /// 1 to 90.
    public var extendByDays: Int64?
    /// The reason; Apple may show it to the customer.
    public var extendReasonCode: Raw<ExtendReasonCode>?
    /// The caller's identifier; at most 128 characters.
    public var requestIdentifier: String?

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("extendByDays", &extendByDays)
        visitor.visit("extendReasonCode", &extendReasonCode)
        visitor.visit("requestIdentifier", &requestIdentifier)
    }
}
