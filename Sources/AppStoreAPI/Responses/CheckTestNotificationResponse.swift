public import AppStore

/// Delivery status of a TEST notification (App Store Server API, Get Test Notification Status).
public struct CheckTestNotificationResponse: APIObject {
    /// Compact JWS of the TEST notification.
    public var signedPayload: String?
    /// Results of the deliveries, at most six.
    public var sendAttempts: [SendAttemptItem]?

    /// All fields absent.
    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("signedPayload", &signedPayload)
        visitor.visit("sendAttempts", &sendAttempts)
    }
}
