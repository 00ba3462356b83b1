internal import Synchronization

extension EventLog {
    /// What was handed to `append` and is not answered yet.
    public var waiting: (eventCount: Int, byteCount: Int) {
        state.withLock { ($0.queue.eventCount, $0.queue.byteCount) }
    }
}
