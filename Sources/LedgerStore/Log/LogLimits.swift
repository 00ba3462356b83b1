/// Bounds of the log (`design.md` §6). Each is tested at the bound and one past it.
public enum LogLimits {
    /// Events of one `append` call, and of one transaction.
    public static let batchEventCount = 512
    /// Stored bytes of one `append` call, and of one transaction: those of the largest evidence.
    public static let batchByteCount = evidenceByteCount
    /// Evidence of one event: the largest body anything here accepts, 4 MiB, and the seal in the place
    /// of a password, which is longer than any password need be.
    public static let evidenceByteCount = 4 * 1024 * 1024 + sealByteCount
    /// Bytes that a seal may add to a body.
    public static let sealByteCount = 128
    /// Events that may be waiting for their commit.
    public static let queueEventCount = 10_000
    /// Stored bytes that may be waiting for their commit: 64 MiB.
    public static let queueByteCount = 64 * 1024 * 1024
    /// Events of one page read.
    public static let pageEventCount = 1_000
    /// Evidence of one page read, stored bytes: ends a page early so that reader transactions
    /// stay short and memory flat.
    public static let pageByteCount = 8 * 1024 * 1024
    /// Positions that cannot be read and are told one by one: where more are, one need not know which.
    package static let unreadablePositionCount = 1_000
    /// Bytes of pages written after which a checkpoint is made in the background, 128 MiB: a page
    /// that several batches changed is then moved once. (Tried: with 8 MiB a log of a million
    /// events takes a third fewer events a second.)
    package static let checkpointByteCount = 128 * 1024 * 1024
    /// Frames in the write-ahead log after which the writer finishes the checkpoint itself: a
    /// passive checkpoint beside a writer that never pauses cannot reset the log. 768 MiB: that
    /// batch takes twice as long, and so fewer than one in a hundred does. (Tried: with 128 MiB it
    /// was one in twenty-five.)
    package static let checkpointFrameCount = 96 * 1024
    /// Frames after which it does so where next to nothing is left to move (`CheckpointPace`), 96 MiB:
    /// a file that is written over costs a quarter less processor time to write and synchronise than
    /// one that grows, as its length and its blocks stay as they are.
    package static let reusedFrameCount = 12 * 1024
    /// Pages written a second during a checkpoint up to which a second one follows at once, 128 MiB:
    /// more are written where whole batches are appended, which would be held up. One event at a time
    /// comes to half as many.
    package static let hurriedBytesPerSecond = 128 * 1024 * 1024
    /// Pages written during the second one up to which the writer finishes, 8 MiB: it is held up for
    /// no longer than by a large batch.
    package static let finishedByteCount = 8 * 1024 * 1024
    /// Checkpoints in a row that another process may keep from being made before it is told: one every
    /// 30 s, or every 128 MiB. Between two processes that share a log one or two are ordinary.
    package static let refusedCheckpointCount = 10
    /// Pages of a file up to which an audit has SQLite check the structure of its trees as well,
    /// 128 MiB: in a larger one that would be a transaction of more than 250 ms.
    package static let checkedPageCount = 16 * 1_024
    /// Rows looked at in one transaction by a question about many of them.
    package static let scannedEventCount: Int64 = 50_000
    /// Header segments remembered by their bytes, so that equal ones are hashed once.
    static let rememberedHeaderCount = 16
    /// Header ids remembered by a log. Beyond this the oldest knowledge is dropped and read again.
    static let knownHeaderCount = 4_096
}
