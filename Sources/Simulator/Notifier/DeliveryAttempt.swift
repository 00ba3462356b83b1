public import AppStore

/// One attempt to deliver a notification, as Apple tells it in `sendAttempts`.
public struct DeliveryAttempt: Sendable, Hashable {
    /// When Apple began it.
    public let date: Timestamp
    public let result: AttemptResult

    /// An attempt of that moment, with that end.
    public init(date: Timestamp, result: AttemptResult) {
        self.date = date
        self.result = result
    }
}
