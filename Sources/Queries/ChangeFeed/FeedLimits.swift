/// The bounds of the change feed.
public enum FeedLimits {
    /// Events looked at for one page of changes.
    public static let pageEventCount = 256
    /// Clock readings looked at for one page.
    public static let pageReadingCount = 1_000
    /// Ends of readings looked at together for the newest that belongs to this log.
    static let readingEndCount = 256
    /// Chains that came due and are folded together: bounds memory after a long rest.
    static let dueChainCount = 1_000
    /// How far ahead the clock's work is known, and so how often all rows are looked through.
    public static let windowMilliseconds: Int64 = 60 * 60_000
    /// How often the clock is kept when it changed nothing: a restart looks back that far.
    public static let clockMilliseconds: Int64 = 60_000
    /// New events whose chains are looked at together, each once.
    public static let newEventCount: Int64 = 2_000
    /// How long after the log or the clock moved the feed looks, at the latest.
    public static let pollMilliseconds: Int64 = 250
}
