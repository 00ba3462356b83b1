import AppStore

/// Bounds of looking chains up because of their notices.
public enum ReconcileLimits {
    /// Chains that are looked up at once.
    public static let concurrency = 4
    /// Chains in a row that Apple did not answer for a reason that may pass, after which nobody
    /// else is asked.
    public static let failureStreak = 3
    /// Chains the service looks up in one round.
    public static let roundChainCount = 20
    /// Answers of Apple's the service asks for in one round: 1,200 an hour of the 180,000 Apple
    /// allows for one kind of request.
    public static let roundRequestCount: Int64 = 200
    /// From one round of the service to the next.
    public static let roundMilliseconds: Int64 = 10 * 60_000
    /// From the service's start to its first round: what came while it was down comes first.
    public static let firstRoundMilliseconds: Int64 = 60_000
    /// How long an environment is left alone whose key Apple refused.
    public static let refusedKeyMilliseconds: Int64 = 3_600_000
    /// How long a chain is left alone whose notices stayed open; doubles each time …
    public static let pauseMilliseconds: Int64 = 3_600_000
    /// … and is never longer.
    public static let longestPauseMilliseconds: Int64 = 30 * 86_400_000
    /// Access that ended so recently may still be given back: Apple tries to charge for so long.
    public static let recentMilliseconds: Int64 = 60 * 86_400_000
    /// How long the projections may take to hold what was appended.
    public static let projectionSeconds = 60
    /// Notifications are asked for from a little later than Apple keeps them, since clocks differ.
    static let windowMarginMilliseconds: Int64 = 3_600_000

    /// How long a chain is left alone after it was looked up so many times in vain.
    static func pause(after times: Int) -> Int64 {
        var (pause, doublings) = (pauseMilliseconds, max(1, times) - 1)
        while doublings > 0, pause < longestPauseMilliseconds {
            pause *= 2
            doublings -= 1
        }
        return min(pause, longestPauseMilliseconds)
    }
}
