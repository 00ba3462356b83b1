/// Bounds of the log (`Log.md` §6). Each is tested at the bound and one past it.
public enum LogLimits {
    /// Events of one `append` call, and of one transaction.
    public static let batchEventCount = 512
    /// Stored bytes of one `append` call, and of one transaction: those of the largest evidence.
    public static let batchByteCount = evidenceByteCount
    /// Evidence of one event: the largest body that is accepted anywhere, 4 MiB, and the seal that
    /// replaces a password.
    public static let evidenceByteCount = 4 * 1024 * 1024 + sealByteCount
    /// UTF-8 bytes of an originalTransactionId, which indexes of both engines hold: a row of an
    /// index of PostgreSQL has at most 2,704.
    public static let idByteCount = 1_024
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
    /// Unreadable positions reported individually; further ones are not listed.
    package static let unreadablePositionCount = 1_000
    /// Bytes of pages written after which a background checkpoint runs, 128 MiB: a page that
    /// several batches changed is then moved once. (Tried: with 8 MiB, a log of a million events
    /// takes a third fewer events per second.)
    package static let checkpointByteCount = 128 * 1024 * 1024
    /// Frames in the write-ahead log after which the writer finishes the checkpoint itself, since a
    /// passive checkpoint concurrent with a writer that never pauses cannot reset the log. 768 MiB:
    /// finishing doubles the time of the next batch, so of fewer than one in a hundred. (Tried:
    /// with 128 MiB, of one in twenty-five.)
    package static let checkpointFrameCount = 96 * 1024
    /// Frames after which the writer finishes if almost nothing is left (`CheckpointSchedule`),
    /// 96 MiB: overwriting a file costs a quarter less processor time to write and synchronise than
    /// growing one, as its length and its blocks stay the same.
    package static let reusedFrameCount = 12 * 1024
    /// Bytes of pages written per second during a checkpoint up to which a second one follows
    /// immediately, 128 MiB. Appending whole batches, which would be delayed, writes more;
    /// appending single events writes half as much.
    package static let hurriedBytesPerSecond = 128 * 1024 * 1024
    /// Pages written during the second checkpoint up to which the writer finishes, 8 MiB: it is
    /// blocked no longer than by a large batch.
    package static let finishedByteCount = 8 * 1024 * 1024
    /// Consecutive checkpoints that another process may block before `fileLocked` is reported: one
    /// runs every 30 s, or every 128 MiB. One or two are normal when two processes share a log.
    package static let refusedCheckpointCount = 10
    /// How often, and after which pauses, the removal of erased data from the write-ahead log waits
    /// for readers: 30 s in all.
    package static let purgeAttemptCount = 300
    package static let purgePauseMilliseconds = 100
    /// Rows scanned in one transaction by a query over many rows.
    package static let scannedEventCount: Int64 = 50_000
    /// Leaves of one block whose root is kept to prove events (`TreeProver`), a power of two.
    package static let provenBlockCount: Int64 = 64
    /// Header segments cached by their bytes, so that equal ones are hashed once.
    static let rememberedHeaderCount = 16
    /// Header ids cached by a log. When full, the cache is emptied.
    static let knownHeaderCount = 4_096

    /// The requested page size, clamped to its bounds.
    package static func page(_ limit: Int) -> Int { max(1, min(limit, pageEventCount)) }
}
