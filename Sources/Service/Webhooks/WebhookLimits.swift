/// The bounds of outgoing webhooks.
public enum WebhookLimits {
    /// Chains delivered at once to one endpoint; inside a chain one change after the other.
    public static let concurrency = 8
    /// How long one attempt may take, from connecting to the end of the answer.
    public static let timeoutMilliseconds: Int64 = 15_000
    public static let connectTimeoutMilliseconds: Int64 = 5_000
    /// How often a disabled endpoint is looked at: somebody may have taken it up again.
    public static let reloadMilliseconds: Int64 = 5_000
    /// Bytes read of an answer, which nobody looks at.
    public static let answerByteCount = 64 * 1_024
    /// First delay after a failure; each next one is `factor` times as long.
    public static let firstDelayMilliseconds: Int64 = 5_000
    public static let factor: Int64 = 3
    public static let longestDelayMilliseconds: Int64 = 8 * 3_600_000
    /// No attempt is ever set for later than this: the longest delay, moved by chance, or the longest
    /// that an endpoint may ask for.
    public static let furthestMilliseconds =
        longestDelayMilliseconds + longestDelayMilliseconds * jitterPercent / 100
    /// How far chance moves a delay, in percent of it, either way.
    public static let jitterPercent: Int64 = 20
    /// A change that failed for so long is parked.
    public static let retryMilliseconds: Int64 = 3 * 86_400_000
    /// Failures in a row after which an endpoint is taken to be down: nothing new is begun, and one
    /// attempt at a time asks whether it is back.
    public static let downFailureCount = 8
    /// Longest wait between two of these attempts.
    public static let longestProbeMilliseconds: Int64 = 10 * 60_000
    /// Changes waiting for one endpoint, beyond which nothing new is begun.
    public static let waitingCount = 10_000
    /// Parked changes kept for one endpoint, the newest.
    public static let parkedCount = 10_000
    /// Changes of one chain tried in one step.
    public static let chainBurstCount = 32
    /// Bytes of a secret, decoded.
    public static let secretByteCounts = 24...64
    /// Secrets in one file: a new one beside the old, while receivers change over.
    public static let secretCount = 2
    public static let secretFileByteCount = 1_024
    public static let endpointCount = 100
    /// How often a process that does not deliver looks whether the one that does is still there.
    public static let lockPollMilliseconds: Int64 = 1_000
}
