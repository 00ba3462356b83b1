/// The bounds of the change feed.
public enum FeedLimits {
    /// Events read for one page of changes.
    public static let pageEventCount = 256
    /// Clock readings read for one page.
    public static let pageReadingCount = 1_000
    /// Ends of readings read at a time to find the newest of this log.
    static let readingEndCount = 256
    /// Chains that are folded together: bounds memory after a long idle period, and in a scan.
    static let dueChainCount = 1_000
    /// The window of known clock changes, and so the interval of scans over all rows.
    public static let windowMilliseconds: Int64 = 60 * 60_000
    /// Interval of storing the clock without changes: a restart looks back that far.
    public static let clockMilliseconds: Int64 = 60_000
    /// The same where other nodes follow the clock.
    static let sharedClockMilliseconds: Int64 = 1_000
    /// New events whose chains are checked together, each chain once.
    public static let newEventCount: Int64 = 2_000
    /// Longest delay of the feed after the log or the clock moved.
    public static let pollMilliseconds: Int64 = 250
}
