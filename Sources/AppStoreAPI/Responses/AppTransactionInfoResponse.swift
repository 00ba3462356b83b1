public import AppStore

/// The customer's purchase or download of the app itself (App Store Server API, Get App Transaction
/// Info).
public struct AppTransactionInfoResponse: APIObject {
    /// Compact JWS of an `AppTransactionPayload`.
    public var signedAppTransactionInfo: String?

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("signedAppTransactionInfo", &signedAppTransactionInfo)
    }
}
