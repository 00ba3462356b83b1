public import AppStore

/// The purchases of an order (App Store Server API, Look Up Order ID).
public struct OrderLookupResponse: APIObject {
    /// Whether the order id is one of this app's.
    public var status: Raw<OrderLookupStatus>?
    /// Compact JWS, each a `TransactionPayload`; at most 20 on a page.
    public var signedTransactions: [String]?

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("status", &status)
        visitor.visit("signedTransactions", &signedTransactions)
    }
}
