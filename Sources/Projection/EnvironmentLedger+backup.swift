public import AppStore
import Foundation
public import Intake
public import LedgerStore
public import SQLiteStore

extension EnvironmentLedger {
    /// The directory of an environment's files. SQLite takes a path that begins with `file:` for a
    /// URI.
    package static func directory(
        _ configuration: Configuration, _ environment: Environment
    ) -> String {
        let prefix = configuration.dataDirectory.hasPrefix("file:") ? "./" : ""
        return "\(prefix)\(configuration.dataDirectory)/\(directoryName(environment))"
    }

    /// Writes a verified backup of an environment's log, the only data that cannot be rebuilt, to a
    /// path that does not exist yet, with the checkpoints that were kept of it. Quarantine is not
    /// included: no answer depends on it.
    ///
    /// Other processes may append meanwhile: the backup contains what is in the log at its start.
    /// Throws `BackupError` or `StoreError`, of a database `logWentBack` where this node has seen
    /// what the log lacks.
    public static func backUp(
        _ configuration: Configuration, environment: Environment, to path: String,
        report: @escaping @Sendable (BackupStep) -> Void = { _ in }
    ) async throws -> LogBackup.Report {
        let directory = directory(configuration, environment)
        if let engine = try engine(of: configuration) {
            let opened = try await openExisting(engine, environment, directory)
            return try await backUp(opened.log, opened.operations, environment, to: path, report)
        }
        try await requireExisting(directory)
        let log = try await EventLog.open(directory: directory)
        var operations: OperationsStore?
        var failure: StoreError?
        if !OperationsStore.isMissing(in: directory) {
            // The log is backed up even without operational state.
            do throws(StoreError) {
                operations = try await OperationsStore.open(directory: directory)
            } catch { failure = error }
        }
        var done = try await backUp(log, operations, environment, to: path, report)
        if let failure { done.checkpointsFailure = failure }
        return done
    }

    /// Opens the log and operational state of an environment, and creates no log.
    ///
    /// Throws `BackupError` (`noLog`) or `StoreError`, of a database as `backUp`.
    public static func openExisting(
        _ configuration: Configuration, environment: Environment
    ) async throws -> OpenedLog {
        let directory = directory(configuration, environment)
        if let engine = try engine(of: configuration) {
            return try await openExisting(engine, environment, directory)
        }
        try await requireExisting(directory)
        return try await openLog(configuration, environment: environment)
    }

    /// Opens the log of a database, and refuses one that lacks events this node has seen: a backup
    /// of it would lack events, and a list of erasures some of them.
    private static func openExisting(
        _ engine: any LogEngine, _ environment: Environment, _ directory: String
    ) async throws -> OpenedLog {
        do throws(StoreError) {
            let seen = try NodeMemory(directory: directory)?.seen.position ?? 0
            return seen > 0
                ? try await engine.open(environment, directory: directory, seen: .start)
                : try await engine.openBoth(environment, creating: false)
        } catch {
            guard error.code == .noSuchFile else { throw error }
            throw BackupError.noLog(error.path ?? "")
        }
    }

    /// Opening a missing log would create an empty one, and what is read of it would look like
    /// success.
    private static func requireExisting(_ directory: String) async throws {
        try await requireLog(directory)
        guard try hasLog(directory) else { throw BackupError.noLog(directory) }
    }

    /// Closes log and operational state afterwards.
    private static func backUp(
        _ log: any LedgerLog, _ operations: (any OperationalState)?, _ environment: Environment,
        to path: String, _ report: @escaping @Sendable (BackupStep) -> Void
    ) async throws -> LogBackup.Report {
        let result: Result<LogBackup.Report, any Error>
        do {
            let backup = LogBackup(
                log, environment: environment, to: path, checkpointsOf: operations)
            result = .success(try await backup.run(report: report))
        } catch { result = .failure(error) }
        await operations?.close()
        await log.close()
        return try result.get()
    }

    /// Copies a log (`LogCopy`) and its checkpoints into another one, whatever their engines.
    public static func copy(
        _ source: OpenedLog, to target: OpenedLog,
        progress: @Sendable (_ done: Int64, _ all: Int64) -> Void
    ) async throws(StoreError) -> (log: LogCopy.Report, checkpoints: CheckpointCopy.Report) {
        let signed = try await source.operations.newestCheckpointSize()
        let log = try await LogCopy(from: source.log, to: target.log).run(progress: progress)
        let checkpoints = try await CheckpointCopy.run(
            from: source.operations, through: max(signed, log.position), to: target.operations)
        return (log, checkpoints)
    }

    /// Verifies a backup, puts it in place of an environment's log, and projects it.
    ///
    /// The log of a database is not replaced: it must be empty, or the beginning of the backup.
    /// Throws `BackupError` or `StoreError`; the previous log is then unchanged.
    ///
    /// - `replaces`: whether a log with events may be replaced; it is kept under another name.
    /// - `now`: the time in that name.
    /// - `erasures`: applied again where the backup lacks them, as are those of the replaced log.
    /// - Returns: also why derived data could not be rebuilt, or keys of uploads not be forgotten.
    ///   The log is in place even then, and the next command rebuilds the data.
    public static func restore(
        _ configuration: Configuration, environment: Environment, from path: String,
        replaces: Bool = false, now: Timestamp, erasures: [ErasureRecord] = [],
        report: @escaping @Sendable (BackupStep) -> Void = { _ in }
    ) async throws -> (restored: LogRestore.Report, failure: StoreError?) {
        let directory = directory(configuration, environment)
        let done: LogRestore.Report
        if let engine = try engine(of: configuration) {
            done = try await withScratch(directory) { scratch in
                let scratched = try await LogRestore(
                    path, into: scratch, environment: environment, replaces: true, now: now,
                    erasures: erasures
                ).run(report: report)
                let copied = try await copy(scratch, into: engine, environment, report)
                return LogRestore.Report(
                    before: copied.before, head: copied.head, setAside: nil,
                    erasureCount: min(scratched.erasureCount, copied.erasureCount),
                    isOfOtherLog: false,
                    checkpoints: copied.checkpoints)
            }
        } else {
            done = try await LogRestore(
                path, into: directory, environment: environment, replaces: replaces, now: now,
                erasures: erasures
            ).run(report: report)
        }
        var failures: [StoreError] = []
        do throws(StoreError) {
            let session = try await LedgerSession.open(configuration, environment: environment)
            await session.close()
        } catch { failures.append(error) }
        for environment in Environment.allCases {
            do throws(StoreError) {
                try await forgetUploadKeys(configuration, environment)
            } catch { failures.append(error) }
        }
        return (done, failures.first)
    }

    /// A service keeps the keys of all uploads with the environment that it serves first, which may
    /// be another one than was restored.
    private static func forgetUploadKeys(
        _ configuration: Configuration, _ environment: Environment
    ) async throws(StoreError) {
        let operations: any OperationalState
        var log: (any LedgerLog)?
        if let engine = try engine(of: configuration) {
            do throws(StoreError) {
                let opened = try await engine.openBoth(environment, creating: false)
                (log, operations) = (opened.log, opened.operations)
            } catch {
                guard error.code == .noSuchFile else { throw error }
                return
            }
        } else {
            let directory = directory(configuration, environment)
            guard try hasLog(directory), !OperationsStore.isMissing(in: directory) else { return }
            operations = try await OperationsStore.open(directory: directory)
        }
        let result = await Outcome { () throws(StoreError) in
            try await operations.forgetUploadKeys()
        }
        await log?.close()
        await operations.close()
        try result.get()
    }

    /// Copies a verified log into a database whose log is the beginning of it.
    ///
    /// - Returns: with the number of all erasures that the database lacked, those of the backup
    ///   included.
    private static func copy(
        _ directory: String, into engine: any LogEngine, _ environment: Environment,
        _ report: @escaping @Sendable (BackupStep) -> Void
    ) async throws(StoreError) -> LogRestore.Report {
        let source = OpenedLog(
            log: try await EventLog.open(directory: directory),
            operations: try await OperationsStore.open(directory: directory))
        let result = await Outcome { () throws(StoreError) in
            let target = try await engine.openBoth(environment, creating: true)
            let copied = await Outcome { () throws(StoreError) in
                let done = try await copy(source, to: target) {
                    report(.copying(done: $0, all: $1))
                }
                let erasures = try await source.log.erasurePositions(
                    after: done.log.presentCount, through: .max)
                return LogRestore.Report(
                    before: .position(done.log.presentCount), head: try await target.log.head(),
                    setAside: nil, erasureCount: erasures.count, isOfOtherLog: false,
                    checkpoints: done.checkpoints)
            }
            await target.close()
            return try copied.get()
        }
        await source.close()
        return try result.get()
    }

    /// Runs `body` with a directory of this process for a copy of a log. Removes it afterwards, and
    /// at the start those of dead processes.
    private static func withScratch<Value>(
        _ directory: String, _ body: (String) async throws -> Value
    ) async throws -> Value {
        let prefix = "restore-copy-"
        let found = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        for entry in found where entry.hasPrefix(prefix) {
            guard let process = pid_t(entry.dropFirst(prefix.count)), kill(process, 0) != 0,
                errno == ESRCH
            else { continue }
            try? FileManager.default.removeItem(atPath: "\(directory)/\(entry)")
        }
        let scratch = "\(directory)/\(prefix)\(getpid())"
        defer { try? FileManager.default.removeItem(atPath: scratch) }
        return try await body(scratch)
    }
}
