public import AppStore

/// A page of a customer's refunded transactions, by revocationDate (App Store Server API, Get
/// Refund History).
public struct RefundHistoryResponse: APIObject {
    /// Whether another page follows.
    public var hasMore: Bool?
    /// Token of the next page. May be stored, to resume from it later.
    public var revision: String?
    /// Compact JWS, each a `TransactionPayload`; at most 20 on a page.
    public var signedTransactions: [String]?

    /// All fields absent.
    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("hasMore", &hasMore)
        visitor.visit("revision", &revision)
        visitor.visit("signedTransactions", &signedTransactions)
    }
}
