internal import Foundation
internal import GRDB
public import LedgerStore
internal import Synchronization

extension EventLog {
    /// Takes the write lock and releases it; queues behind the appends.
    public func probeLock() async throws(StoreError) {
        try requireFile()
        // A writer that was given up is reopened by the next append.
        guard !commits.isClosed, let writer = state.withLock({ $0.writer }) else { return }
        try await writer.access(path) { database in
            try database.beginTransaction(.immediate)
            try database.rollback()
        }
    }

    /// After a failed append a lock proves little: a quota or a broken disk shows at COMMIT, and a
    /// writer that was given up must first be reopened. COMMIT in turn may reuse a place in the
    /// write-ahead log that the failed append allocated, so free space is tested first
    /// (`WriteSpaceCheck`).
    public func probeCommit() async throws(StoreError) {
        try await commits.probe { startDraining() }
    }

    /// Throws `diskFull` where the write-ahead log could not take another MiB at the offset of the
    /// next transaction. Once all frames are in the file that offset is the beginning, which lets a
    /// log recover on a disk that stays full.
    func requireRoom(_ database: Database) throws {
        // A new connection detects that the file has a write-ahead log by reading it.
        _ = try Int.fetchOne(database, sql: "SELECT position FROM head")
        let size = Int64(stat.at(path + "-wal")?.st_size ?? 0)
        var end = size
        if let moved = try? database.checkpoint(.passive), moved.walFrameCount >= 0 {
            let isEmpty = moved.checkpointedFrameCount == moved.walFrameCount
            end = isEmpty ? 0 : Int64(moved.walFrameCount) * EventLog.frameByteCount
        }
        try WriteSpaceCheck.require(
            nextTo: path, from: size, byteCount: end + WriteSpaceCheck.byteCount - size)
    }

    /// A page and the frame header before it (https://www.sqlite.org/fileformat2.html#walformat).
    private static var frameByteCount: Int64 { Int64(pageByteCount) + 24 }
}
