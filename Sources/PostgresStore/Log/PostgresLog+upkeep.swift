public import LedgerStore

extension PostgresLog {
    /// Whether the head row can be locked for writing now: locks it and releases it. Queues behind
    /// the appends, and writes nothing.
    public func probeLock() async throws(StoreError) {
        try commits.requireOpen()
        try await appender.run(location) { [self] slot in
            try slot.again {
                let connection = try slot.connection()
                do throws(PostgresError) {
                    _ = try connection.run([
                        Statement.begin.with(), Statement.log.lockHead.with(),
                        Statement.rollback.with(),
                    ])
                } catch {
                    connection.rollBack()
                    guard error.isLocked || error.kind == .timedOut,
                        let waiting = waitForStandby(slot)
                    else { throw error }
                    throw waiting
                }
            }
        }
    }

    /// The error if a COMMIT that waits for a synchronous standby locks the head row; nil
    /// otherwise. Ending that session would commit it without the standby. Makes no new connection:
    /// a server that hangs would keep the caller waiting once more.
    func waitForStandby(_ slot: ConnectionSlot) -> StoreError? {
        guard let open = slot.current, open.isUsable,
            let count = try? open.run(Statement.log.awaitsStandby.with()).first?.int64(0), count > 0
        else { return nil }
        return StoreError(
            .databaseUnavailable, path: location,
            reason: "A COMMIT waits for the synchronous standby.",
            remedy: """
                Bring the standby back, or change synchronous_standby_names; do not end the session.
                """)
    }

    /// Writes what this node has seen; the server maintains its own files.
    public func checkpoint() async throws(StoreError) {
        try commits.requireOpen()
        try await Blocking.run { [self] () throws(StoreError) in try remember() }
    }

    /// Only the owner of a table may rewrite it.
    public func requirePurgeable() async throws(StoreError) {
        try commits.requireOpen()
        try await place.requireOwner()
    }

    /// Rewrites both tables: an update leaves the old row on its page. Blocks every other access
    /// meanwhile. The server's write-ahead log holds erased data until its segments are reused.
    public func purge() async throws(StoreError) {
        try commits.requireOpen()
        try await place.rewrite(PostgresLocation.logTables)
    }
}
