internal import GRDB
internal import Synchronization

extension EventLog {
    /// Whether the log could be written now: takes the write lock and gives it back. Waits for its
    /// turn among the appends.
    ///
    /// Throws what keeps it: `fileLocked`, `fileReplaced`, `fileReadOnly`, `ioError` or `closed`.
    public func probe() async throws(StoreError) {
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
}
