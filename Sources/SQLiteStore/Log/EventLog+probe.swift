internal import Foundation
internal import GRDB
public import LedgerStore
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

    /// Throws `diskFull` where the write-ahead log could not take another MiB from where the next
    /// transaction would go: from its beginning once all of it is in the file, which may be the way
    /// out on a disk that stays full.
    func requireRoom(_ database: Database) throws {
        // A fresh connection learns that the file has a write-ahead log by reading it.
        _ = try Int.fetchOne(database, sql: "SELECT position FROM head")
        let size = writeAheadByteCount
        var end = size
        if let moved = try? database.checkpoint(.passive), moved.walFrameCount >= 0 {
            let isEmpty = moved.checkpointedFrameCount == moved.walFrameCount
            end = isEmpty ? 0 : Int64(moved.walFrameCount) * EventLog.frameByteCount
        }
        try WriteRoom.require(
            beside: path, from: size, byteCount: end + WriteRoom.byteCount - size)
    }

    /// A page and what stands before it (https://www.sqlite.org/fileformat2.html#walformat).
    private static var frameByteCount: Int64 { Int64(pageByteCount) + 24 }

    private var writeAheadByteCount: Int64 {
        var status = stat()
        return stat(path + "-wal", &status) == 0 ? Int64(status.st_size) : 0
    }
}
