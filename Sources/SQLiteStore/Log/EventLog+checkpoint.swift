internal import GRDB
public import LedgerStore
internal import Synchronization

/// Moves the write-ahead log into the file (https://www.sqlite.org/wal.html#ckpt): PASSIVE and on a
/// separate connection, concurrently with commits, except in `purge` and `finishCheckpointIfDue`.
/// Large automatic checkpoints stall batches.
extension EventLog {
    /// Checkpoints as much as possible without waiting for other connections. Long imports trigger
    /// it themselves.
    ///
    /// Throws `diskFull`, `ioError`, `fileReplaced` or `closed`; `fileLocked` after another process
    /// blocked it `LogLimits.refusedCheckpointCount` times in a row.
    public func checkpoint() async throws(StoreError) {
        try await checkpointer.access(path) { [self] in try runCheckpoint($0) }
    }

    /// A process that can write the files can also purge them: checks that they are in place.
    public func requirePurgeable() async throws(StoreError) { try requireFile() }

    /// Overwrites the write-ahead log, where copies of erased pages may remain. Waits for readers.
    public func purge() async throws(StoreError) {
        try requireFile()
        for _ in 0..<LogLimits.purgeAttemptCount {
            if try await purgeOnce() { return }
            try? await Task.sleep(for: .milliseconds(LogLimits.purgePauseMilliseconds))
        }
        throw StoreError(
            .fileLocked, path: path,
            reason: "Another connection reads what was erased; the write-ahead log holds it.",
            remedy: "Wait for long exports and audits to end; then run the same erasure again.")
    }

    /// Returns false where another connection prevents it. Does not wait for that one inside
    /// SQLite, which holds the writer's lock meanwhile: no event could be appended.
    func purgeOnce() async throws(StoreError) -> Bool {
        try await checkpointer.access(path) { database in
            let wait = try Int.fetchOne(database, sql: "PRAGMA busy_timeout") ?? 0
            defer { try? database.execute(sql: "PRAGMA busy_timeout = \(wait)") }
            do {
                _ = try Int.fetchOne(database, sql: "SELECT position FROM head")
                try database.execute(sql: "PRAGMA busy_timeout = 0")
                return try database.checkpoint(.truncate).walFrameCount <= 0
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                return false
            }
        }
    }

    /// Called by the writer after each commit.
    func noteWritten(bytes: Int) {
        let isDue = state.withLock { state in
            state.writtenByteCount += bytes
            state.bytesSinceCheckpoint += bytes
            guard state.bytesSinceCheckpoint >= LogLimits.checkpointByteCount,
                !state.isCheckpointing, !commits.isClosed
            else { return false }
            state.isCheckpointing = true
            state.bytesSinceCheckpoint = 0
            return true
        }
        guard isDue else { return }
        checkpointer.asyncWriteWithoutTransaction { [self] database in
            // A failure here loses nothing: the frames stay in the write-ahead log, and a full or
            // broken disk is reported by the next COMMIT.
            try? runCheckpoint(database)
            state.withLock { $0.isCheckpointing = false }
        }
    }

    /// Called by the writer between transactions. While the writer never pauses, a passive
    /// checkpoint never catches up; here the small remainder can be moved.
    func finishCheckpointIfDue(_ database: Database) {
        let isDue = state.withLock { state in
            defer { state.mustFinishCheckpoint = false }
            return state.mustFinishCheckpoint
        }
        if isDue { _ = try? passiveCheckpoint(database) }
    }

    /// Frames in the write-ahead log; nil when another connection is checkpointing, or when a
    /// writing connection was in the middle of a step. SQLite reports this even to a checkpoint
    /// that does not wait. Nothing is lost: the next checkpoint moves the rest.
    private func passiveCheckpoint(_ database: Database) throws -> Int? {
        do { return try database.checkpoint(.passive).walFrameCount } catch let error
            as DatabaseError
            where error.resultCode == .SQLITE_BUSY
        {
            return nil
        }
    }

    private func runCheckpoint(_ database: Database) throws {
        // A closed connection must not be used.
        try commits.requireOpen()
        try requireFile()
        // A new connection detects that the file has a write-ahead log by reading it.
        _ = try Int.fetchOne(database, sql: "SELECT position FROM head")
        let (start, before) = (ContinuousClock.now, writtenByteCount)
        let frameCount = try passiveCheckpoint(database)
        try count(isRefused: frameCount == nil)
        guard let frameCount else { return }
        let pace = CheckpointSchedule(frameCount: frameCount, mostFrameCount: checkpointFrameCount)
        let between = writtenByteCount
        guard pace.isRepeated(after: between - before, in: start.duration(to: .now)) else { return }
        // Moves what was appended meanwhile, so that the writer has almost nothing left to move.
        _ = try passiveCheckpoint(database)
        guard pace.isFinished(after: writtenByteCount - between) else { return }
        state.withLock { $0.mustFinishCheckpoint = true }
    }

    private var writtenByteCount: Int { state.withLock { $0.writtenByteCount } }

    /// Throws `fileLocked` after too many consecutive refusals: the write-ahead log then grows
    /// without bound, and no append fails until the disk is full.
    private func count(isRefused: Bool) throws(StoreError) {
        let count = state.withLock { state in
            state.refusedCheckpointCount = isRefused ? state.refusedCheckpointCount + 1 : 0
            return state.refusedCheckpointCount
        }
        guard count >= LogLimits.refusedCheckpointCount else { return }
        throw StoreError(
            .fileLocked, path: path,
            reason: """
                Another process has kept the write-ahead log from being moved into the file, \(count) \
                times in a row; it grows.
                """,
            remedy: "Find the process that holds the file, and end its transaction.")
    }
}

/// When the write-ahead log is restarted, which blocks the writer for a moment: as soon as it pays
/// off and the moment is short, and in any case before the file becomes very long.
struct CheckpointSchedule {
    /// Frames in the write-ahead log.
    let frameCount: Int
    /// Frames beyond which it is restarted regardless of the cost.
    let mostFrameCount: Int

    private var isLong: Bool { frameCount > mostFrameCount }
    private var isReusable: Bool { frameCount > LogLimits.reusedFrameCount }

    /// Whether a second checkpoint follows immediately.
    ///
    /// - Parameters:
    ///   - byteCount: of pages written during the first one.
    ///   - duration: of the first one.
    func isRepeated(after byteCount: Int, in duration: Duration) -> Bool {
        let most = Double(LogLimits.hurriedBytesPerSecond) * (duration / .seconds(1))
        return isLong || isReusable && Double(byteCount) <= most
    }

    /// Whether the writer then moves the rest.
    ///
    /// - Parameter byteCount: of pages written during the second one.
    func isFinished(after byteCount: Int) -> Bool {
        isLong || isReusable && byteCount <= LogLimits.finishedByteCount
    }
}
