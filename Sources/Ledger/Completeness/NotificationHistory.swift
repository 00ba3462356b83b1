public import AppStore

/// How far back Apple's history reaches (App Store Server API, Get Notification History).
public enum NotificationHistory {
    /// Length of Apple's history: 180 days, in Sandbox 30.
    public static func milliseconds(in environment: Environment) -> Int64 {
        (environment == .production ? 180 : 30) * 86_400_000
    }

    /// Safety margin at its old end: requests take time, and clocks differ.
    public static let marginMilliseconds: Int64 = 24 * 3_600_000

    /// Whether a request at `requestedAt` can no longer be relied on to return what Apple sent at
    /// `time`.
    package static func hasLost(
        _ time: Timestamp, requestedAt: Timestamp, in environment: Environment
    ) -> Bool {
        requestedAt.milliseconds(since: time) > milliseconds(in: environment) - marginMilliseconds
    }
}
