internal import LedgerStore
internal import Synchronization

extension EventLog {
    /// What was handed to `append` and is not answered yet.
    public var waiting: (eventCount: Int, byteCount: Int) {
        state.withLock { ($0.queue.eventCount, $0.queue.byteCount) }
    }

    /// When the writing of what is written now began; nil when nothing is. A disk that takes a
    /// synchronisation and never answers fails nothing: this is how it shows.
    public var writingSince: ContinuousClock.Instant? { state.withLock { $0.groupBegan } }
}
