public import AppStore

/// One notification and its delivery attempts (App Store Server API,
/// `notificationHistoryResponseItem`), and the delivery status of a TEST notification (Get Test
/// Notification Status).
public struct NotificationHistoryResponseItem: APIObject {
    /// Compact JWS of the `NotificationPayload`, as first sent.
    public var signedPayload: String?
    /// Results of the deliveries, at most six.
    public var sendAttempts: [SendAttemptItem]?

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("signedPayload", &signedPayload)
        visitor.visit("sendAttempts", &sendAttempts)
    }
}
