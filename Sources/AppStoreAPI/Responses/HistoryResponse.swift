public import AppStore

/// A page of a customer's transactions (App Store Server API, Get Transaction History), or of the
/// refunded ones by revocationDate (Get Refund History), which names neither app nor environment.
public struct HistoryResponse: APIObject {
    /// Token of the next page. May be stored, to resume from it later.
    public var revision: String?
    /// Whether another page follows.
    public var hasMore: Bool?
    public var bundleId: BundleId?
    /// Apple's number of the app; absent in Sandbox.
    public var appAppleId: Int64?
    /// The environment that responded.
    public var environment: Raw<Environment>?
    /// Compact JWS, each a `TransactionPayload`; at most 20 on a page.
    public var signedTransactions: [String]?

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("revision", &revision)
        visitor.visit("hasMore", &hasMore)
        visitor.visit("bundleId", &bundleId)
        visitor.visit("appAppleId", &appAppleId)
        visitor.visit("environment", &environment)
        visitor.visit("signedTransactions", &signedTransactions)
    }
}
