/// The subscription or purchase a notification is about (App Store Server Notifications, `data`).
public struct NotificationData: WireObject {
    /// Absent before 2022-02.
    public var environment: Raw<Environment>?
    /// Compared in Production only.
    public var appAppleId: Int64?
    /// The app.
    public var bundleId: BundleId?
    /// Build of the app.
    public var bundleVersion: String?
    /// Compact JWS of a `TransactionPayload`; verified separately.
    public var signedTransactionInfo: String?
    /// Compact JWS of a `RenewalPayload`; auto-renewable subscriptions only.
    public var signedRenewalInfo: String?
    /// At the payload's signedDate. Since 2023-06.
    public var status: Raw<SubscriptionStatus>?
    /// `CONSUMPTION_REQUEST` only.
    public var consumptionRequestReason: Raw<ConsumptionRequestReason>?

    public var unknown: [JSONMember] = []

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("environment", &environment)
        visitor.visit("appAppleId", &appAppleId)
        visitor.visit("bundleId", &bundleId)
        visitor.visit("bundleVersion", &bundleVersion)
        visitor.visit("signedTransactionInfo", &signedTransactionInfo)
        visitor.visit("signedRenewalInfo", &signedRenewalInfo)
        visitor.visit("status", &status)
        visitor.visit("consumptionRequestReason", &consumptionRequestReason)
    }
}
