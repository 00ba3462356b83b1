internal import Dispatch
internal import Foundation
internal import GRDB
public import LedgerStore
internal import Migrations
internal import Synchronization

/// The event log of one environment: `log.sqlite`, append-only, the only file to back up.
///
/// One writing connection (a GRDB `DatabaseQueue`, so that it can be closed and reopened
/// separately), a pool of read-only connections, and one connection that only checkpoints. All of
/// them run on their own dispatch queues; nothing here blocks the cooperative pool. Two processes
/// may append to one file.
public final class EventLog: LedgerLog {
    public let location: String
    var path: String { location }
    public let packer = EvidencePacker()

    let file: DatabaseFile
    let readers: DatabasePool
    let checkpointer: DatabaseQueue
    let watch: FileIdentityGuard
    let faults: (any CommitFaults)?
    /// Frames of the write-ahead log beyond which the writer finishes a checkpoint itself.
    let checkpointFrameCount: Int
    public let commits: GroupCommit
    let state: Mutex<AppendState>
    let knownHeaders = Mutex(KnownHeaders())
    let unreadable = Mutex(UnreadablePositions())
    /// Where connections are closed and reopened: never on the queue of the connection itself.
    let repairs = DispatchQueue(label: "subledger.log.repairs")

    /// The file's name inside an environment's directory.
    public static let fileName = "log.sqlite"
    /// "SLLG": marks our log files (https://www.sqlite.org/fileformat2.html#application_id).
    static let applicationId: Int32 = 0x534C_4C47
    /// 8 KiB: fewer bytes an event than SQLite's 4 KiB, because evidence is about 1.5 KB.
    static let pageByteCount = 8_192
    /// Holds the pages that the largest transaction (512 events) writes, so that each goes to the
    /// write-ahead log once. 64 MiB made no append faster (tried with a log of four million
    /// events).
    static let cacheKibibytes = 4 * 1_024
    static let readerCount = 4

    /// Opens the log in `directory`, which is created when missing.
    ///
    /// Throws `fileNewer`, `fileChanged`, `fileForeign`, `fileNotDatabase`, `fileCorrupt`,
    /// `fileReadOnly`, `fileReplaced`, `fileLocked`, `diskFull` or `ioError`. A file that cannot be
    /// opened is left unchanged.
    public static func open(directory: String) async throws(StoreError) -> EventLog {
        try await open(
            directory: directory, faults: LogFaults.commits,
            busyTimeoutSeconds: DatabaseFile.usualBusyTimeoutSeconds)
    }

    /// As `open(directory:)`, with failures around COMMIT, a different busy timeout and a different
    /// bound of the write-ahead log: for tests.
    package static func open(
        directory: String, faults: (any CommitFaults)?, busyTimeoutSeconds: Int,
        checkpointFrameCount: Int = LogLimits.checkpointFrameCount
    ) async throws(StoreError) -> EventLog {
        let path = (directory as NSString).appendingPathComponent(fileName)
        return try await Blocking.run { () throws(StoreError) in
            try EventLog(
                path: path, faults: faults, busyTimeoutSeconds: busyTimeoutSeconds,
                checkpointFrameCount: checkpointFrameCount)
        }
    }

    /// Blocks while the file is opened and migrated.
    private init(
        path: String, faults: (any CommitFaults)?, busyTimeoutSeconds: Int,
        checkpointFrameCount: Int
    ) throws(StoreError) {
        self.checkpointFrameCount = checkpointFrameCount
        location = path
        commits = GroupCommit(path)
        self.faults = faults
        file = DatabaseFile(
            path: path, applicationId: EventLog.applicationId,
            migrations: SchemaHistory.log,
            pageByteCount: EventLog.pageByteCount, cacheKibibytes: EventLog.cacheKibibytes,
            busyTimeoutSeconds: busyTimeoutSeconds)
        try ReplacedLog.requireFinished(path)
        try WriteAheadLogCheck(path: path, pageByteCount: EventLog.pageByteCount).run()
        state = Mutex(AppendState(writer: try file.openWriter()))
        watch = try FileIdentityGuard(path: path)
        readers = try file.openReaders(count: EventLog.readerCount)
        checkpointer = try file.openCheckpointer()
        // All connections are on the same file.
        try watch.check()
    }

    /// Throws `fileReplaced` permanently once the file at the path is not the one that was opened:
    /// cached state may not match the new file.
    func requireFile() throws(StoreError) {
        if let loss = state.withLock({ $0.loss }) { throw loss }
        do throws(StoreError) { try watch.check() } catch {
            // Closing the last connection removes the write-ahead log; that is not a replacement.
            try commits.requireOpen()
            state.withLock { $0.loss = error }
            throw error
        }
    }

    public func close() async {
        await commits.close()
        await withCheckedContinuation { continuation in
            repairs.async { [self] in
                // A connection that cannot close now is closed with its last reference.
                try? readers.close()
                try? checkpointer.close()
                let writer = state.withLock { $0.takeWriter() }
                try? writer?.close()
                continuation.resume()
            }
        }
    }
}
