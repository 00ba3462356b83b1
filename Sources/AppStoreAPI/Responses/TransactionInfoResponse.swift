public import AppStore

/// One transaction (App Store Server API, Get Transaction Info).
public struct TransactionInfoResponse: APIObject {
    /// Compact JWS of a `TransactionPayload`.
    public var signedTransactionInfo: String?

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("signedTransactionInfo", &signedTransactionInfo)
    }
}
