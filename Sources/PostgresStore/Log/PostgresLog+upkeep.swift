public import LedgerStore
internal import Synchronization

extension PostgresLog {
    public var waiting: (eventCount: Int, byteCount: Int) {
        state.withLock { ($0.queue.eventCount, $0.queue.byteCount) }
    }

    public var writingSince: ContinuousClock.Instant? { state.withLock { $0.groupBegan } }

    /// Whether the head row can be locked for writing now: locks it and releases it. Queues behind
    /// the appends, and writes nothing.
    public func probeLock() async throws(StoreError) {
        guard !state.withLock({ $0.isClosed }) else { throw closedError }
        try await appender.run(location) { [statements] slot in
            let connection = try slot.connection()
            do {
                _ = try connection.run([
                    Statement.begin.with(), statements.lockHead.with(), Statement.rollback.with(),
                ])
            } catch {
                if connection.isUsable { _ = try? connection.run(Statement.rollback.with()) }
                throw error
            }
        }
    }

    /// Writes what this node has seen; the server looks after its own files.
    public func checkpoint() async throws(StoreError) {
        guard !state.withLock({ $0.isClosed }) else { throw closedError }
        try remember()
    }

    /// Rewrites both tables: an update leaves the old row on its page. Blocks every other access
    /// meanwhile. The server's write-ahead log holds what was erased until its segments are reused.
    public func purge() async throws(StoreError) {
        guard !state.withLock({ $0.isClosed }) else { throw closedError }
        try await place.rewrite(["evidence", "events"])
    }
}
