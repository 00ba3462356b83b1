public import LedgerStore

extension PostgresLog {
    public var waiting: (eventCount: Int, byteCount: Int) { commits.waiting }

    public var writingSince: ContinuousClock.Instant? { commits.writingSince }

    /// Whether the head row can be locked for writing now: locks it and releases it. Queues behind
    /// the appends, and writes nothing.
    public func probeLock() async throws(StoreError) {
        try commits.requireOpen()
        try await appender.run(location) { [statements] slot in
            try slot.again {
                let connection = try slot.connection()
                do {
                    _ = try connection.run([
                        Statement.begin.with(), statements.lockHead.with(),
                        Statement.rollback.with(),
                    ])
                } catch {
                    if connection.isUsable { _ = try? connection.run(Statement.rollback.with()) }
                    throw error
                }
            }
        }
    }

    /// Writes what this node has seen; the server looks after its own files.
    public func checkpoint() async throws(StoreError) {
        try commits.requireOpen()
        try await Blocking.run { [self] () throws(StoreError) in try remember() }
    }

    /// Rewrites both tables: an update leaves the old row on its page. Blocks every other access
    /// meanwhile. The server's write-ahead log holds what was erased until its segments are reused.
    public func purge() async throws(StoreError) {
        try commits.requireOpen()
        try await place.rewrite(["evidence", "events"])
    }
}
