/// The bounds of event streams.
enum StreamLimits {
    /// Streams at once.
    static let count = 100
    /// A comment is sent after so long without anything else, so that a dead connection is noticed
    /// and a living one kept.
    static let heartbeat: Duration = .seconds(15)
    /// The same, where the reader ended its own side of the connection: a comment to one that is
    /// gone is answered by a reset, and its stream ends.
    static let doubt: Duration = .milliseconds(250)
    /// A reader that takes nothing for so long is dropped; it comes back with its last id.
    static let stall: Duration = .seconds(30)
    /// What a reader is told to wait before it comes back, in milliseconds.
    static let retryMilliseconds = 3_000
    /// How often the feed is looked at.
    static let poll: Duration = .milliseconds(250)
    /// Longest `Last-Event-ID` that is looked at.
    static let cursorByteCount = 100
}
