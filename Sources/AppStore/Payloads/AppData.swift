/// The app transaction a notification is about (App Store Server Notifications, `appData`).
public struct AppData: WireObject {
    /// Apple's number of the app.
    public var appAppleId: Int64?
    /// The app.
    public var bundleId: BundleId?
    /// Where the purchase was made.
    public var environment: Raw<Environment>?
    /// Compact JWS of an `AppTransactionPayload`; verified separately.
    public var signedAppTransactionInfo: String?

    public var unknown: [JSONMember] = []

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("appAppleId", &appAppleId)
        visitor.visit("bundleId", &bundleId)
        visitor.visit("environment", &environment)
        visitor.visit("signedAppTransactionInfo", &signedAppTransactionInfo)
    }
}
