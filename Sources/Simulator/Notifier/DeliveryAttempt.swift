public import AppStore

/// One attempt to deliver a notification, as reported in `sendAttempts`.
public struct DeliveryAttempt: Sendable, Hashable {
    /// When Apple started it.
    public let date: Timestamp
    public let result: AttemptResult

    /// An attempt with its start and result.
    public init(date: Timestamp, result: AttemptResult) {
        self.date = date
        self.result = result
    }
}
