public import AppStore
internal import Foundation
internal import GRDB
public import LedgerStore
internal import Signing

/// Makes a backup of a log while it is appended to.
///
/// All work happens in a directory next to the backup, whose name marks it as unfinished. The copy
/// (`LogCopy`) is verified as by `audit verify`, then described and made durable, and only then
/// gets its name, by a link that never replaces a file.
public struct LogBackup: Sendable {
    private let log: any LedgerLog
    private let environment: Environment
    private let path: String
    private let operations: (any OperationalState)?

    /// The result of a backup.
    public struct Report: Sendable {
        public let path: String
        public let description: BackupDescription
        /// The file's whole size.
        public let byteCount: Int64
        /// Checkpoints of the log in it.
        public let checkpointCount: Int
        /// Why the operational state, and so checkpoints in it, could not be read.
        public package(set) var checkpointsFailure: StoreError?
    }

    /// - `operations`: where the checkpoints of the log are kept; nil leaves them out.
    public init(
        _ log: any LedgerLog, environment: Environment, to path: String,
        checkpointsOf operations: (any OperationalState)? = nil
    ) {
        self.operations = operations
        self.log = log
        self.environment = environment
        self.path = path
    }

    /// Makes the backup. Also removes the leftovers of a run that died.
    ///
    /// Throws `BackupError` (`backupExists`, `logUnsound`) or `StoreError`; then there is no file
    /// with that name, and nothing is left behind.
    public func run(
        report: @escaping @Sendable (BackupStep) async -> Void = { _ in }
    ) async throws -> Report {
        let directory = DatabaseFile.parent(of: path)
        guard stat.ofLink(at: path) == nil else { throw exists }
        StagingDirectory.removeStale(in: directory)
        let newest = await Outcome { () throws(StoreError) in
            try await operations?.newestCheckpointSize() ?? 0
        }
        let staging = try StagingDirectory.make(for: path)
        defer { staging.remove() }
        try await copy(to: staging, report)
        let head = try await verify(staging) { await report(.verifying(done: $0, all: $1)) }
        let (count, failure) = try await addCheckpoints(newest, head, to: staging)
        return try await Blocking.run { () throws in
            let description = try describe(staging, head, hasCheckpoints: count > 0)
            let byteCount = try OpenFile.reading(staging.file).byteCount()
            try name(staging.file)
            do { try OpenFile.directory(directory).synchronize() } catch {
                // The backup was not reported as made, and may disappear after a power failure.
                unlink(path)
                throw error
            }
            return Report(
                path: path, description: description, byteCount: byteCount, checkpointCount: count,
                checkpointsFailure: failure)
        }
    }

    private func copy(
        to staging: StagingDirectory, _ report: @escaping @Sendable (BackupStep) async -> Void
    ) async throws {
        let target = try await EventLog.open(directory: staging.path)
        do throws(StoreError) {
            _ = try await target.closing { target async throws(StoreError) in
                try await LogCopy(from: log, to: target).run {
                    await report(.copying(done: $0, all: $1))
                }
            }
        } catch {
            guard error.isDamage else { throw error }
            throw unsound(error.reason)
        }
    }

    private var exists: BackupError {
        BackupError(
            .backupExists, path: path, reason: "The file exists, and backups never replace a file.",
            remedy: "Name another file, or move this one away.")
    }

    private func verify(
        _ staging: StagingDirectory, _ progress: @Sendable (Int64, Int64) async -> Void
    ) async throws -> LogHead {
        let audit = try await staging.audit(progress)
        guard audit.isSound, let head = audit.head else {
            let finding = audit.findings.first.map { finding in
                let place = finding.position.map { " at position \($0)" } ?? ""
                return "\(finding.code.rawValue)\(place)."
            }
            throw unsound(finding ?? "no head.")
        }
        return head
    }

    private func unsound(_ detail: String) -> BackupError {
        BackupError(
            .logUnsound, path: log.location,
            reason: "The log does not verify, and no backup was made: \(detail)",
            remedy: "Run `subledger audit verify`; keep the existing backups.")
    }

    /// Adds the checkpoints to the copy, those beyond its end too, up to the newest size. What is
    /// damaged is left out: a log is backed up even without operational state.
    private func addCheckpoints(
        _ newest: Outcome<Int64>, _ head: LogHead, to staging: StagingDirectory
    ) async throws(StoreError) -> (count: Int, failure: StoreError?) {
        guard let operations else { return (0, nil) }
        var (end, failure) = (head.position, StoreError?.none)
        do throws(StoreError) { end = max(end, try newest.get()) } catch {
            guard error.isDamage || error.code == .ioError else { throw error }
            failure = error
        }
        let table = BackupCheckpoints(path: staging.file)
        let copied = try await CheckpointCopy.run { size async throws(StoreError) in
            do throws(StoreError) {
                return try await operations.checkpoints(after: size, through: end)
            } catch {
                guard error.isDamage || error.code == .ioError else { throw error }
                failure = error
                return []
            }
        } adopting: { page async throws(StoreError) in
            try await Blocking.run { () throws(StoreError) in try table.add(page) }
            return 0
        }
        return (copied.count, failure)
    }

    /// Turns the copy into a single file and writes the description after its last page. Blocks.
    private func describe(
        _ staging: StagingDirectory, _ head: LogHead, hasCheckpoints: Bool
    ) throws -> BackupDescription {
        let mode = try DatabaseQueue.once(staging.file) { database in
            try String.fetchOne(database, sql: "PRAGMA journal_mode = DELETE")
        }
        guard mode == "delete" else {
            throw StoreError(
                .fileLocked, path: staging.file, reason: "Its journal mode cannot be changed.",
                remedy: "Close the file in every other process, then try again.")
        }
        let (byteCount, digest) = try OpenFile.reading(staging.file).digest()
        let description = BackupDescription(
            environment: environment, head: head, byteCount: byteCount, digest: digest,
            hasCheckpoints: hasCheckpoints)
        let file = try OpenFile.appending(staging.file)
        try file.write(description.encoded())
        try file.synchronize()
        return description
    }

    private func name(_ file: String) throws {
        guard link(file, path) == 0 else {
            guard errno != EEXIST else { throw exists }
            throw DatabaseFile.systemError(errno, path: path)
        }
    }
}

extension OpenFile {
    /// Size and SHA-256 of the whole file. Blocks.
    func digest() throws(StoreError) -> (byteCount: Int64, digest: Digest) {
        var hasher = SHA256Hasher()
        var offset: Int64 = 0
        while true {
            let block = try read(at: offset, count: OpenFile.blockByteCount)
            guard !block.isEmpty else { return (offset, hasher.finish()) }
            hasher.update(block)
            offset += Int64(block.count)
        }
    }
}

extension StagingDirectory {
    /// Opens the file in the directory as a log, migrates its schema and verifies all of it.
    func audit(
        _ progress: @Sendable (_ done: Int64, _ all: Int64) async -> Void
    ) async throws(StoreError) -> LogAuditReport {
        try await EventLog.open(directory: path).closing { log async throws(StoreError) in
            let report = try await log.verify(progress: progress)
            // Only the file itself gets the name, and closing reports no failure to complete it.
            try await log.purge()
            return report
        }
    }
}
