public import AppStore
internal import Foundation
public import LedgerStore
internal import Signing

/// Restores a backup in place of an environment's log.
///
/// The backup is copied next to the log and the copy verified completely before anything is
/// changed. Then derived data is removed, the previous log is renamed and kept, and the copy takes
/// its name in one step. If the process is killed at any moment, a log that can be opened is one of
/// the two, complete.
public struct LogRestore: Sendable {
    private let path: String
    private let directory: String
    private let environment: Environment
    private let replaces: Bool
    private let now: Timestamp
    private let erasures: [ErasureRecord]

    /// The result of a restore.
    public struct Report: Sendable {
        /// Nil when there was no log.
        public let before: Before?
        /// The end of the log now.
        public let head: LogHead
        /// The new name of the previous log; where only its write-ahead log was left, that file's.
        /// Nil when there was none, or an empty one.
        public let setAside: String?
        /// Erasures applied again, because the backup is older than they are.
        public let erasureCount: Int
        /// Whether the previous log began with another event, or has erasures that are not of this
        /// log: it does not say what was erased since the backup.
        public let isOfOtherLog: Bool
        /// Counts of the checkpoints copied from the backup.
        public let checkpoints: CheckpointCopy.Report

        package init(
            before: Before?, head: LogHead, setAside: String?, erasureCount: Int,
            isOfOtherLog: Bool, checkpoints: CheckpointCopy.Report
        ) {
            self.erasureCount = erasureCount
            self.isOfOtherLog = isOfOtherLog
            self.checkpoints = checkpoints
            self.before = before
            self.head = head
            self.setAside = setAside
        }
    }

    /// The previous log.
    public enum Before: Hashable, Sendable {
        case position(Int64)
        /// Unreadable: damaged, foreign, or of a newer release.
        case unreadable
    }

    /// - `path`: the backup.
    /// - `directory`: the environment's, created when missing.
    /// - `replaces`: whether a log with events may be replaced; it is kept under another name.
    /// - `now`: becomes part of that name.
    /// - `erasures`: those that the backup may lack, in addition to those of the log that is
    ///   replaced.
    public init(
        _ path: String, into directory: String, environment: Environment, replaces: Bool,
        now: Timestamp, erasures: [ErasureRecord] = []
    ) {
        self.erasures = erasures
        self.path = path
        self.directory = directory
        self.environment = environment
        self.replaces = replaces
        self.now = now
    }

    private var logPath: String { "\(directory)/\(EventLog.fileName)" }

    /// Restores the backup. Also removes the leftovers of a run that died.
    ///
    /// Throws `BackupError` or `StoreError`; the previous log is then still in place.
    public func run(
        report: @escaping @Sendable (BackupStep) -> Void = { _ in }
    ) async throws -> Report {
        let description = try await Blocking.run { () throws in
            try requireSuitable(BackupFile(path).description)
        }
        guard let lock = try await Blocking.run({ () throws in try takeDirectory() }) else {
            throw BackupError(
                .projectorBusy, path: directory, reason: "Another process projects here.",
                remedy: "Stop it first; nothing was changed.")
        }
        defer { withExtendedLifetime(lock) {} }
        StagingDirectory.removeStale(in: directory)
        ReplacedLog.removeUnfinished(logPath)
        let (before, known, start) = try await lookAtLog()
        try requireReplaceable(before)
        let trace = FileTrace(logPath)
        let staging = try StagingDirectory.make(for: logPath)
        defer { staging.remove() }
        try await Blocking.run { () throws in
            try BackupFile(path).copy(to: staging.file) { report(.copying(done: $0, all: $1)) }
            if description.hasCheckpoints {
                try BackupCheckpoints(path: staging.file).remove()
            }
        }
        let head = try await verify(staging, description) {
            report(.verifying(done: $0, all: $1))
        }
        let (applied, isOther, end) = try await eraseAgain(known, start, in: staging)
        let exclusion = try await Blocking.run { () throws in try exclude(before, trace) }
        let checkpoints = try await adopt(description)
        let setAside = try await Blocking.run { () throws in
            try put(staging.file, before, exclusion, holding: lock)
        }
        return Report(
            before: before, head: end ?? head, setAside: setAside, erasureCount: applied,
            isOfOtherLog: isOther, checkpoints: checkpoints)
    }

    /// Removes the leftovers of restores that died; a running one is not affected.
    public static func removeUnfinished(in directory: String) {
        StagingDirectory.removeStale(in: directory)
    }

    private func requireSuitable(
        _ description: BackupDescription
    ) throws(BackupError) -> BackupDescription {
        guard description.environment == environment else {
            throw BackupError(
                .backupEnvironment, path: path,
                reason: "It is a backup of \(description.environment.rawValue), but the target"
                    + " environment is \(environment.rawValue).",
                remedy: "Name that environment with --environment; nothing was changed.")
        }
        return description
    }

    private func takeDirectory() throws -> ProjectorLock? {
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true,
                attributes: [.posixPermissions: Int(DatabaseFile.directoryMode)])
        } catch {
            throw StoreError(
                .ioError, path: directory, reason: "The directory cannot be created.",
                remedy: "Check the path and its permissions.")
        }
        return try ProjectorLock.take(
            directory: directory, patienceMilliseconds: LogExclusion.patienceMilliseconds)
    }

    // MARK: The log that is there

    /// The log, its erasures and its first leaf hash; none for an empty one.
    private func lookAtLog() async throws -> (Before?, [ErasureRecord], [Digest]) {
        guard FileManager.default.fileExists(atPath: logPath) else { return (nil, [], []) }
        if let before = try unopened() { return (before, [], []) }
        do throws(StoreError) {
            let log = try await EventLog.open(directory: directory)
            return try await log.closing { log async throws(StoreError) in
                let position = try await log.head().position
                let start = try await log.leafHashes(after: 0, through: 1)
                do throws(StoreError) {
                    try await log.checkpoint()
                    return (.position(position), try await ErasureRecord.all(of: log), start)
                } catch {
                    guard error.isDamage else { throw error }
                    // Erasures that can be read are still applied again.
                    let found = try await ErasureRecord.all(of: log, skippingDamaged: true)
                    return (.unreadable, found, start)
                }
            }
        } catch {
            switch error.code {
            case .fileCorrupt, .fileNotDatabase, .fileForeign, .fileNewer, .fileChanged:
                return (.unreadable, [], [])
            case .fileLocked: throw inUse
            default: throw error
            }
        }
    }

    /// What a file is that must not be opened: SQLite would delete the write-ahead log of one that
    /// is empty or not a database, and an empty one would become a log that can be appended to. Nil
    /// for a database (https://www.sqlite.org/fileformat2.html#magic_header_string).
    private func unopened() throws(StoreError) -> Before? {
        let magic = Array("SQLite format 3\0".utf8)
        let start = try OpenFile.reading(logPath).read(at: 0, count: magic.count)
        if start == magic { return nil }
        let isBlank = start.isEmpty && ReplacedLog(log: logPath, now: now).hasNoPendingWrites
        return isBlank ? .position(0) : .unreadable
    }

    private func requireReplaceable(_ before: Before?) throws {
        guard let before else { return }
        if !replaces, before != .position(0) {
            let content: String =
                switch before {
                case .position(let position): "a log with \(position.named("event", "events"))"
                case .unreadable: "a log that cannot be read"
                }
            throw BackupError(
                .logExists, path: logPath, reason: "There is already \(content).",
                remedy: "With --replace it is kept under another name; nothing was changed.")
        }
        guard try LogExclusion.take(logPath) != nil else { throw inUse }
    }

    private var inUse: BackupError {
        BackupError(
            .logInUse, path: logPath, reason: "Another process has the log open.",
            remedy: "Stop every process that uses it, then try again; nothing was changed.")
    }

    // MARK: Verifying

    private func verify(
        _ staging: StagingDirectory, _ description: BackupDescription,
        _ progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws -> LogHead {
        do {
            let audit = try await staging.audit(progress)
            guard audit.isSound, let head = audit.head else {
                let code = audit.findings.first?.code.rawValue ?? "no head"
                throw BackupError.damaged(path, "It does not verify (\(code)).")
            }
            guard head.position == description.position, head.root == description.root else {
                throw BackupError.damaged(path, "Its log does not match its description.")
            }
            try OpenFile.appending(staging.file).synchronize()
            return head
        } catch let error as StoreError {
            switch error.code {
            case .fileNewer:
                throw BackupError(
                    .backupNewer, path: path, reason: error.reason,
                    remedy: "Use that release or a later one; nothing was changed.")
            case .fileCorrupt, .fileNotDatabase, .fileForeign, .fileChanged:
                throw BackupError.damaged(path, error.reason)
            default: throw error
            }
        }
    }

    // MARK: Erasing again

    /// Applies the erasures that the backup lacks, before it takes the log's place.
    ///
    /// - Parameters:
    ///   - known: those of the log that is replaced, which may be another ledger's.
    ///   - start: the first leaf hash of that log.
    /// - Returns: how many were applied, whether that log is another one, and the end of the log
    ///   then.
    private func eraseAgain(
        _ known: [ErasureRecord], _ start: [Digest], in staging: StagingDirectory
    ) async throws -> (Int, Bool, LogHead?) {
        guard !start.isEmpty || !erasures.isEmpty else { return (0, false, nil) }
        let log = try await EventLog.open(directory: staging.path)
        let result = try await log.closing { log async throws(StoreError) in
            var count = 0
            let own = try await log.leafHashes(after: 0, through: 1)
            var isOther = !start.isEmpty && own != start
            for record in known {
                guard try await record.belongs(to: log) else {
                    isOther = true
                    continue
                }
                if try await record.apply(to: log) { count += 1 }
            }
            for record in erasures {
                guard try await record.belongs(to: log) else {
                    throw StoreError(
                        .fileForeign, path: path,
                        reason: "The erasures given are not of the log in this backup.",
                        remedy: "Give the output of `subledger log erasures` of this ledger;"
                            + " nothing was changed.")
                }
                if try await record.apply(to: log) { count += 1 }
            }
            if count > 0 { try await log.purge() }
            return (count, isOther, try await log.head())
        }
        try OpenFile.appending(staging.file).synchronize()
        return result
    }

    // MARK: Operations

    /// Keeps the backup's checkpoints, before the log is in place: a log without them would be
    /// signed again without a comparison. Forgets the keys of uploads to any previous log.
    private func adopt(
        _ description: BackupDescription
    ) async throws(StoreError) -> CheckpointCopy.Report {
        let file = "\(directory)/\(OperationsStore.fileName)"
        guard description.hasCheckpoints || FileTrace(file) != nil else { return .init() }
        let operations = try await OperationsStore.open(directory: directory)
        return try await operations.closing { operations async throws(StoreError) in
            let table = BackupCheckpoints(path: path)
            let report = try await CheckpointCopy.run { size async throws(StoreError) in
                guard description.hasCheckpoints else { return [] }
                return try await Blocking.run { () throws(StoreError) in
                    try table.page(after: size, limit: CheckpointCopy.pageCount)
                }
            } adopting: { page async throws(StoreError) in
                try await operations.adopt(page)
            }
            try await operations.forgetUploadKeys()
            return report
        }
    }

    // MARK: Putting in place

    /// Exclusive access to the previous log, which no process has used since the check; nil where
    /// there is none. Blocks.
    private func exclude(_ before: Before?, _ trace: FileTrace?) throws -> LogExclusion? {
        if before == nil, FileTrace(logPath) == nil { return nil }
        // A process that appended since the check, and ended again, has changed the file.
        guard before != nil, let exclusion = try LogExclusion.take(logPath), exclusion.isInPlace,
            FileTrace(logPath) == trace,
            before == .unreadable || ReplacedLog(log: logPath, now: now).hasNoPendingWrites
        else { throw inUse }
        return exclusion
    }

    /// Blocks. Returns the new name of the previous log.
    private func put(
        _ file: String, _ before: Before?, _ exclusion: LogExclusion?, holding lock: ProjectorLock
    ) throws -> String? {
        let setAside = ReplacedLog(log: logPath, now: now)
        defer { ReplacedLog.removeUnfinished(logPath) }
        // Derived data of a log with events goes before the log changes: it must never be beside
        // another one. That of a lost log goes last: until then no new log may be begun.
        let hadEvents = before != nil && before != .position(0)
        if hadEvents { DerivedFiles.forgetAll(in: directory, holding: lock) }
        let name: String? =
            switch before {
            case nil: try setAside.keepOrphan()
            case .position(0): nil
            case .position, .unreadable: try setAside.keep()
            }
        // SQLite would replay a leftover write-ahead log into the new file.
        try setAside.removeSidecars()
        guard exclusion == nil ? link(file, logPath) == 0 : rename(file, logPath) == 0 else {
            guard exclusion != nil || errno != EEXIST else {
                throw BackupError(
                    .logInUse, path: logPath, reason: "Another process just created a log.",
                    remedy: "Stop every process that uses it, then try again.")
            }
            throw DatabaseFile.systemError(errno, path: logPath)
        }
        try OpenFile.directory(directory).synchronize()
        if !hadEvents { DerivedFiles.forgetAll(in: directory, holding: lock) }
        exclusion?.waitForStragglers()
        return name
    }
}

extension DerivedFiles {
    /// Removes the link to the current file, so that everything is rebuilt from the log.
    ///
    /// Numbered files stay: they may be open, and no number is reused. The links of other releases'
    /// versions are removed too, since they also lead to data of the previous log.
    func forgetCurrent(holding lock: ProjectorLock) {
        for entry in entries where entry == linkName || entry.hasPrefix(prefix) {
            let path = path(of: entry)
            guard let status = stat.ofLink(at: path) else { continue }
            if status.kind == S_IFLNK {
                unlink(path)
            } else if entry == linkName {
                // Facts of a release before files were numbered, which only this program opens.
                DerivedFile.discard(path)
            }
        }
    }

    /// For every kind of file in one directory.
    static func forgetAll(in directory: String, holding lock: ProjectorLock) {
        for files in [DerivedFiles.projections(in: directory), .facts(in: directory)] {
            files.forgetCurrent(holding: lock)
        }
    }
}

/// A fingerprint of a file that is not being written: a different fingerprint means different
/// contents.
struct FileTrace: Hashable {
    private let inode: UInt64
    private let byteCount: Int64
    private let changedNanoseconds: Int64

    /// Nil when there is no such file.
    init?(_ path: String) {
        guard let status = stat.at(path) else { return nil }
        inode = UInt64(status.st_ino)
        byteCount = Int64(status.st_size)
        changedNanoseconds =
            Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
    }
}
