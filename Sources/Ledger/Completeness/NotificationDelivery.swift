public import AppStore

/// One delivery of a notification: when it was signed and when it was received.
public struct NotificationDelivery: Hashable, Sendable {
    public let receivedAt: Timestamp
    public let signedAt: Timestamp

    public init(receivedAt: Timestamp, signedAt: Timestamp) {
        self.receivedAt = receivedAt
        self.signedAt = signedAt
    }
}
