import Synchronization

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

/// Bounds of change streams; tests use other times.
struct StreamRules: Sendable {
    var slots = StreamSlots()
    var heartbeat = StreamLimits.heartbeat
}

final class StreamSlots: Sendable {
    private let taken = Mutex(0)
    private let limit: Int

    init(limit: Int = StreamLimits.count) { self.limit = limit }

    /// A slot for one stream; nil when none is free.
    func take() -> Slot? {
        let hasRoom = taken.withLock { taken in
            guard taken < limit else { return false }
            taken += 1
            return true
        }
        return hasRoom ? Slot(slots: self) : nil
    }

    /// Released when its last reference goes, whether or not the stream was ever written.
    final class Slot: Sendable {
        private let slots: StreamSlots

        fileprivate init(slots: StreamSlots) { self.slots = slots }

        deinit { slots.taken.withLock { $0 -= 1 } }
    }
}
