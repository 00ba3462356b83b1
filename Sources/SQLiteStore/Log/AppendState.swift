internal import AppStore
internal import GRDB
internal import LedgerStore

/// The writing connection and its checkpoints, behind one lock that is never held while writing.
struct AppendState {
    /// Why reads and writes are refused permanently: the file is not the one that was opened.
    var loss: StoreError?
    /// Nil after the connection was given up; it is reopened before the next transaction.
    var writer: DatabaseQueue?
    /// Estimated bytes of pages written since the log was opened.
    var writtenByteCount = 0
    /// Bytes written since the last checkpoint began.
    var bytesSinceCheckpoint = 0
    var isCheckpointing = false
    /// Consecutive checkpoints that another connection blocked.
    var refusedCheckpointCount = 0
    /// Whether the writer must finish the checkpoint between two transactions.
    var mustFinishCheckpoint = false

    init(writer: DatabaseQueue) { self.writer = writer }

    mutating func takeWriter() -> DatabaseQueue? {
        defer { writer = nil }
        return writer
    }
}

/// The writes of a transaction, to determine whether a COMMIT that failed took effect.
struct AppendTrace: Sendable {
    let lastPosition: Int64
    /// Nil when nothing was appended.
    let lastLeafHash: Digest?
    /// Valid once the transaction is committed.
    let headers: KnownHeaders

    /// Whether the transaction is in the file. The leaf commits to position, key and time, and a
    /// transaction is written completely or not at all.
    func isDurable(_ database: Database) throws -> Bool {
        guard let lastLeafHash else { return false }
        return try database.rows(
            "SELECT leaf_hash FROM events WHERE position = ?", lastPosition
        ) { $0.digest(0) }.first == lastLeafHash
    }
}

/// The outcome of one transaction.
enum AppendAttempt {
    /// Known to be committed or rolled back.
    case finished([AppendBatch.Answer])
    /// COMMIT failed: the rows may be in the file nevertheless, or appear in it after a restart.
    /// Holds what to look for, the answers if it is there, and the error of COMMIT.
    case unknown(AppendTrace, [AppendBatch.Answer], StoreError)
}
