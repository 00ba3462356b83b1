internal import LedgerStore
internal import Synchronization

extension EventLog {
    /// Events and bytes passed to `append` and not answered yet.
    public var waiting: (eventCount: Int, byteCount: Int) {
        state.withLock { ($0.queue.eventCount, $0.queue.byteCount) }
    }

    /// When the current write began; nil when there is none. A disk that never completes a
    /// synchronisation causes no error: it is detected from this.
    public var writingSince: ContinuousClock.Instant? { state.withLock { $0.groupBegan } }
}
