public import AppStore

/// The current status of every subscription of the customer (App Store Server API, Get All
/// Subscription Statuses).
public struct StatusResponse: APIObject {
    /// The environment that responded.
    public var environment: Raw<Environment>?
    public var bundleId: BundleId?
    /// Apple's number of the app; absent in Sandbox.
    public var appAppleId: Int64?
    /// One item per subscription group.
    public var data: [SubscriptionGroupIdentifierItem]?

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("environment", &environment)
        visitor.visit("bundleId", &bundleId)
        visitor.visit("appAppleId", &appAppleId)
        visitor.visit("data", &data)
    }
}
