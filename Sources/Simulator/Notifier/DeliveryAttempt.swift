public import AppStore

/// One attempt to deliver a notification, as reported in `sendAttempts`.
public struct DeliveryAttempt: Sendable, Hashable {
    /// When Apple started it.
    public let date: Timestamp
    public let result: AttemptResult
}
