public import AppStore

/// Assigns a subscription to an account (App Store Server API, Set App Account Token). Applies to
/// the current transaction and later ones.
public struct UpdateAppAccountTokenRequest: APIObject {
    /// A UUID.
    public var appAccountToken: String?

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("appAccountToken", &appAccountToken)
    }
}
