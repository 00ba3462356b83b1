internal import GRDB
internal import Synchronization

extension EventLog {
    /// Whether the log could be locked for writing now: takes the write lock and gives it back.
    /// Waits for its turn among the appends, and writes nothing.
    ///
    /// Throws what keeps it: `fileLocked`, `fileReplaced`, `fileReadOnly`, `ioError` or `closed`.
    public func probeLock() async throws(StoreError) {
        try requireFile()
        // A writer that was given up is opened again by the next append.
        let writer = state.withLock { $0.isClosed ? nil : $0.writer }
        guard let writer else { return }
        let result = await withCheckedContinuation { continuation in
            writer.asyncWriteWithoutTransaction { database in
                continuation.resume(
                    returning: Result {
                        try database.beginTransaction(.immediate)
                        try database.rollback()
                    })
            }
        }
        do { try result.get() } catch { throw StoreError(error, path: path) }
    }

    /// Whether the log can be written now, found out by a transaction that writes and is made
    /// durable, but changes no event and nothing an event commits to. A lock says little after an
    /// append failed: a quota or a broken disk is met at the COMMIT, and a writer that was given up
    /// has to be opened again first. The COMMIT in turn may find a place in the write-ahead log that
    /// the failed append took: so room is asked for as well (`WriteRoom`), before.
    ///
    /// Costs what an append costs, and stands in no transaction with one. Throws as `append` does.
    public func probeCommit() async throws(StoreError) {
        let answer = await withCheckedContinuation { continuation in
            enqueue(
                AppendBatch(events: [], byteCount: 0, isProbe: true, continuation: continuation))
        }
        _ = try answer.get()
    }
}
