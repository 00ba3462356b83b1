internal import GRDB
internal import LedgerStore

/// What the appenders of one log share, behind one lock that is never held while writing.
struct AppendState {
    var queue = AppendQueue()
    /// True while someone drains the queue: at most one, on the writer's dispatch queue.
    var isDraining = false
    /// When the group being written was taken; nil when none is.
    var groupBegan: ContinuousClock.Instant?
    var isClosed = false
    /// Why nothing is read or written any more: the file is not the one that was opened.
    var loss: StoreError?
    /// Callers of `close` waiting for the queue to be answered.
    var whenIdle: [CheckedContinuation<Void, Never>] = []
    /// Nil after it was given up: opened again before the next transaction.
    var writer: DatabaseQueue?
    /// Bytes of pages written since the log was opened, as estimated.
    var writtenByteCount = 0
    /// Those written since the last checkpoint began.
    var bytesSinceCheckpoint = 0
    var isCheckpointing = false
    /// Checkpoints in a row that another connection kept from being made.
    var refusedCheckpointCount = 0
    /// True when the writer is to finish the checkpoint between two transactions.
    var mustFinishCheckpoint = false

    init(writer: DatabaseQueue) { self.writer = writer }

    mutating func takeWriter() -> DatabaseQueue? {
        defer { writer = nil }
        return writer
    }
}
