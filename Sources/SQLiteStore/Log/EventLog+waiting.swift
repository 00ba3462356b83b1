internal import LedgerStore
internal import Synchronization

extension EventLog {
    public var waiting: (eventCount: Int, byteCount: Int) {
        state.withLock { ($0.queue.eventCount, $0.queue.byteCount) }
    }

    public var writingSince: ContinuousClock.Instant? { state.withLock { $0.groupBegan } }
}
