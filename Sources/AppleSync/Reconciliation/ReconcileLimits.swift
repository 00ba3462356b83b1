/// Limits on reconciling chains because of their notices.
public enum ReconcileLimits {
    /// Chains reconciled concurrently.
    public static let concurrency = 4
    /// Consecutive chains with a transient failure after which the run stops.
    public static let failureStreak = 3
    /// Chains the service reconciles in one round.
    public static let roundChainCount = 20
    /// Responses per round of the service: 1,200 an hour of the 180,000 Apple allows for one kind
    /// of request.
    public static let roundRequestCount: Int64 = 200
    /// Interval between rounds of the service.
    public static let roundMilliseconds: Int64 = 10 * 60_000
    /// Delay of the first round after the service's start: notifications missed while it was down
    /// come first.
    public static let firstRoundMilliseconds: Int64 = 60_000
    /// Pause of an app, in one environment, after Apple refused it or its key there.
    public static let refusedAppMilliseconds: Int64 = 3_600_000
    /// Pause of a chain whose notices stayed open, and after a failure that may pass; doubles each
    /// time that they stay open …
    public static let pauseMilliseconds: Int64 = 3_600_000
    /// … up to this.
    public static let longestPauseMilliseconds: Int64 = 30 * 86_400_000
    /// Access that ended within this time may still be restored: Apple retries billing for that
    /// long.
    public static let recentMilliseconds: Int64 = 60 * 86_400_000
    /// How long the projections may take to include new events.
    public static let projectionSeconds = 60

    /// The pause of a chain after this many unsuccessful reconciliations.
    static func pause(after times: Int) -> Int64 {
        // Ten doublings of an hour exceed the longest pause.
        min(pauseMilliseconds << min(max(1, times) - 1, 10), longestPauseMilliseconds)
    }
}
