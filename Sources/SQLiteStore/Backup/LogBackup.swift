public import AppStore
internal import Foundation
internal import GRDB
internal import LedgerStore
internal import Signing

/// Makes a backup of a log that may be appended to meanwhile.
///
/// Everything happens in a directory beside the backup whose name says that it is not finished. The
/// copy is verified as `audit verify` does it, then described and made durable, and only then gets
/// its name, by a link that replaces nothing.
public struct LogBackup: Sendable {
    private let log: EventLog
    private let environment: Environment
    private let path: String

    /// What was backed up.
    public struct Report: Sendable {
        public let path: String
        public let description: BackupDescription
        /// The file's whole length.
        public let byteCount: Int64
    }

    /// What is being done, for people who wait; counts are events.
    public enum Step: Sendable {
        case copying(done: Int64, all: Int64)
        case verifying(done: Int64, all: Int64)
    }

    public init(_ log: EventLog, environment: Environment, to path: String) {
        self.log = log
        self.environment = environment
        self.path = path
    }

    /// Makes the backup. Also takes away what a run that died left beside it.
    ///
    /// Throws `BackupError` (`backupExists`, `logUnsound`) or `StoreError`; then there is no file
    /// of the name, and nothing is left behind.
    public func run(report: @escaping @Sendable (Step) -> Void = { _ in }) async throws -> Report {
        let directory = DatabaseFile.parent(of: path)
        try requireFree()
        StagingDirectory.removeStale(in: directory)
        let staging = try StagingDirectory.make(for: path)
        defer { staging.remove() }
        let end = try await log.copyEnd()
        let empty = try await EventLog.open(directory: staging.path)
        await empty.close()
        try await log.copy(upTo: end, into: staging.file) { report(.copying(done: $0, all: $1)) }
        let head = try await verify(staging) { report(.verifying(done: $0, all: $1)) }
        return try await Blocking.run { () throws in
            let description = try describe(staging, head)
            let byteCount = try OpenFile.reading(staging.file).byteCount()
            try name(staging.file)
            do { try OpenFile.directory(directory).synchronize() } catch {
                // Nobody was told that it is there, and it may be gone after a power cut.
                unlink(path)
                throw error
            }
            return Report(path: path, description: description, byteCount: byteCount)
        }
    }

    private func requireFree() throws(BackupError) {
        var status = stat()
        guard lstat(path, &status) != 0 else { throw exists }
    }

    private var exists: BackupError {
        BackupError(
            .backupExists, path: path, reason: "There is such a file, and nothing is replaced.",
            remedy: "Name another one, or move this one away.")
    }

    private func verify(
        _ staging: StagingDirectory, _ progress: @Sendable (Int64, Int64) -> Void
    ) async throws -> LogHead {
        let audit = try await staging.audit(progress)
        guard audit.isSound, let head = audit.head else {
            let finding = audit.findings.first.map { finding in
                let place = finding.position.map { " at position \($0)" } ?? ""
                return "\(finding.code.rawValue)\(place)"
            }
            throw BackupError(
                .logUnsound, path: log.path,
                reason: "The log does not verify (\(finding ?? "no head")): no backup was made.",
                remedy: "Run `subledger audit verify`; keep the backups that exist.")
        }
        return head
    }

    /// Makes one plain file of it and writes the description behind its last page. Blocks.
    private func describe(
        _ staging: StagingDirectory, _ head: LogHead
    ) throws -> BackupDescription {
        let queue = try DatabaseQueue(path: staging.file)
        try queue.inDatabase { try LogCopyWriter.setMode("DELETE", $0, staging.file) }
        try queue.close()
        let (byteCount, digest) = try OpenFile.reading(staging.file).digest()
        let description = BackupDescription(
            environment: environment, head: head, byteCount: byteCount, digest: digest)
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
    /// Length and SHA-256 of the whole file. Blocks.
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
    /// Opens what is in the directory as a log, brings its schema up to date and verifies all of
    /// it.
    func audit(
        _ progress: @Sendable (_ done: Int64, _ all: Int64) -> Void
    ) async throws(StoreError) -> LogAuditReport {
        let log = try await EventLog.open(directory: path)
        do throws(StoreError) {
            let report = try await log.verify(progress: progress)
            await log.close()
            return report
        } catch {
            await log.close()
            throw error
        }
    }
}
