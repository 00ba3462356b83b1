/// The bounds of event streams.
enum StreamLimits {
    /// Concurrent streams.
    static let count = 100
    /// A comment is sent after this long without other data, to detect dead connections and keep
    /// live ones open.
    static let heartbeat: Duration = .seconds(15)
    /// The same after the reader closed its sending side: if it is gone, the comment provokes a
    /// reset, and the stream ends.
    static let doubt: Duration = .milliseconds(250)
    /// Reconnection delay sent to readers, in milliseconds.
    static let retryMilliseconds = 3_000
    /// How often the feed is polled.
    static let poll: Duration = .milliseconds(250)
    /// Longest `Last-Event-ID` that is accepted.
    static let cursorByteCount = 100
}
