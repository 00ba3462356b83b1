/// A token of an external purchase (App Store Server Notifications, `externalPurchaseToken`). Not
/// a subscription event.
public struct ExternalPurchaseToken: WireObject {
    /// Begins with `SANDBOX` in the sandbox.
    public var externalPurchaseId: String?
    /// When Apple created the token.
    public var tokenCreationDate: Timestamp?
    /// Apple's number of the app.
    public var appAppleId: Int64?
    /// The app.
    public var bundleId: BundleId?
    /// When it can no longer be reported.
    public var tokenExpirationDate: Timestamp?
    /// What the token is for.
    public var tokenType: Raw<ExternalPurchaseTokenType>?

    public var unknown: [JSONMember] = []

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("externalPurchaseId", &externalPurchaseId)
        visitor.visit("tokenCreationDate", &tokenCreationDate)
        visitor.visit("appAppleId", &appAppleId)
        visitor.visit("bundleId", &bundleId)
        visitor.visit("tokenExpirationDate", &tokenExpirationDate)
        visitor.visit("tokenType", &tokenType)
    }
}
