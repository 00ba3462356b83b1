/// Result of a mass extension (App Store Server Notifications, `summary`).
public struct NotificationSummary: WireObject {
    /// The developer's identifier of the request.
    public var requestIdentifier: String?
    /// Where the purchase was made.
    public var environment: Raw<Environment>?
    /// Apple's number of the app.
    public var appAppleId: Int64?
    /// The app.
    public var bundleId: BundleId?
    /// The product.
    public var productId: ProductId?
    /// ISO 3166-1 alpha-3.
    public var storefrontCountryCodes: [String]?
    /// Subscriptions extended.
    public var succeededCount: Int64?
    /// Subscriptions that could not be extended.
    public var failedCount: Int64?

    public var unknown: [JSONMember] = []

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("requestIdentifier", &requestIdentifier)
        visitor.visit("environment", &environment)
        visitor.visit("appAppleId", &appAppleId)
        visitor.visit("bundleId", &bundleId)
        visitor.visit("productId", &productId)
        visitor.visit("storefrontCountryCodes", &storefrontCountryCodes)
        visitor.visit("succeededCount", &succeededCount)
        visitor.visit("failedCount", &failedCount)
    }
}
