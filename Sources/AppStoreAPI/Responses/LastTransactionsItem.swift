public import AppStore

/// The current status of one chain (App Store Server API, `lastTransactionsItem`), unsigned.
public struct LastTransactionsItem: APIObject {
    /// The chain.
    public var originalTransactionId: OriginalTransactionId?
    /// The current state according to Apple.
    public var status: Raw<SubscriptionStatus>?
    /// Compact JWS of the newest `TransactionPayload`.
    public var signedTransactionInfo: String?
    /// Compact JWS of its `RenewalPayload`.
    public var signedRenewalInfo: String?

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("originalTransactionId", &originalTransactionId)
        visitor.visit("status", &status)
        visitor.visit("signedTransactionInfo", &signedTransactionInfo)
        visitor.visit("signedRenewalInfo", &signedRenewalInfo)
    }
}
