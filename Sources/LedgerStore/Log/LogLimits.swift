/// Bounds of the log (`design.md` §6). Each is tested at the bound and one past it.
public enum LogLimits {
    /// Events of one `append` call, and of one transaction.
    public static let batchEventCount = 512
    /// Stored bytes of one `append` call, and of one transaction: 4 MiB.
    public static let batchByteCount = 4 * 1024 * 1024
    /// Evidence of one event as received, 4 MiB: the largest body anything here accepts.
    public static let evidenceByteCount = 4 * 1024 * 1024
    /// Events that may be waiting for their commit.
    public static let queueEventCount = 10_000
    /// Stored bytes that may be waiting for their commit: 64 MiB.
    public static let queueByteCount = 64 * 1024 * 1024
    /// Events of one page read.
    public static let pageEventCount = 1_000
    /// Evidence of one page read, stored bytes: ends a page early so that reader transactions
    /// stay short and memory flat.
    public static let pageByteCount = 8 * 1024 * 1024
    /// Stored bytes after which a checkpoint is made in the background.
    static let checkpointByteCount = 16 * 1024 * 1024
    /// Frames in the write-ahead log after which the writer finishes the checkpoint itself: a
    /// passive checkpoint beside a writer that never pauses cannot reset the log. 64 MiB.
    static let checkpointFrameCount = 8 * 1024
    /// Header segments remembered by their bytes, so that equal ones are hashed once.
    static let rememberedHeaderCount = 16
    /// Header ids remembered by a log. Beyond this the oldest knowledge is dropped and read again.
    static let knownHeaderCount = 4_096
}
