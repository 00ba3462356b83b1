public import AppStore

/// Result of extending one subscription (App Store Server API, Extend a Subscription Renewal Date).
public struct ExtendRenewalDateResponse: APIObject {
    /// The chain.
    public var originalTransactionId: OriginalTransactionId?
    /// The extended period.
    public var webOrderLineItemId: WebOrderLineItemId?
    /// Whether it was extended.
    public var success: Bool?
    /// The new renewal date.
    public var effectiveDate: Timestamp?

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("originalTransactionId", &originalTransactionId)
        visitor.visit("webOrderLineItemId", &webOrderLineItemId)
        visitor.visit("success", &success)
        visitor.visit("effectiveDate", &effectiveDate)
    }
}
