/// The bounds of outgoing webhooks.
public enum WebhookLimits {
    /// Chains delivered concurrently to one endpoint; the changes of a chain are sent in sequence.
    public static let concurrency = 8
    /// Timeout of one attempt, from connecting to the end of the response.
    public static let timeoutMilliseconds: Int64 = 15_000
    /// A connection that breaks this soon counts as closed while idle; the request is sent again.
    static let brokenAtOnce: Duration = .seconds(1)
    /// Poll interval of a disabled endpoint, which another process may enable again.
    public static let reloadMilliseconds: Int64 = 5_000
    /// Maximum bytes read of a response, which are discarded.
    public static let answerByteCount = 64 * 1_024
    /// First delay after a failure; each next one is `factor` times as long.
    public static let firstDelayMilliseconds: Int64 = 5_000
    public static let factor: Int64 = 3
    public static let longestDelayMilliseconds: Int64 = 8 * 3_600_000
    /// Maximum time ahead of any scheduled attempt: the longest delay with jitter.
    public static let furthestMilliseconds =
        longestDelayMilliseconds + longestDelayMilliseconds * jitterPercent / 100
    /// Jitter of a delay, in percent, either way.
    public static let jitterPercent: Int64 = 20
    /// Time of failures after which a change is parked.
    public static let retryMilliseconds: Int64 = 3 * 86_400_000
    /// Failing chains, without an accepted delivery in between, after which an endpoint counts as
    /// down and is only probed by single attempts. Repeated failures of one change do not count.
    public static let downFailureCount = 8
    /// Longest wait between two probes.
    public static let longestProbeMilliseconds: Int64 = 10 * 60_000
    /// The longest pause after the state of an endpoint could not be read or stored; doubles up to
    /// it.
    public static let longestStorePauseMilliseconds: Int64 = 10_000
    /// Changes waiting for one endpoint beyond which nothing new is started.
    public static let waitingCount = 10_000
    /// Parked changes kept for one endpoint, the newest.
    public static let parkedCount = 10_000
    /// Changes of one chain attempted in one step.
    public static let chainBurstCount = 32
    /// Bytes of a secret, decoded.
    public static let secretByteCounts = 24...64
    /// Secrets in one file: a new one and the old one during rotation.
    public static let secretCount = 2
    public static let secretFileByteCount = 1_024
    public static let endpointCount = 100
    /// Poll interval of a process that waits for the delivering process to end.
    public static let lockPollMilliseconds: Int64 = 1_000
    /// How often a node checks that it still may deliver.
    static let leasePollInterval: Duration = .milliseconds(250)
}
