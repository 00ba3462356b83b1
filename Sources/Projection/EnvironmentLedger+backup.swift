public import AppStore
import Foundation
public import Intake
public import LedgerStore
public import SQLiteStore

extension EnvironmentLedger {
    /// The directory of an environment's files.
    static func directory(_ configuration: Configuration, _ environment: Environment) -> String {
        "\(configuration.dataDirectory)/\(directoryName(environment))"
    }

    /// Writes a verified backup of an environment's log, the only data that cannot be rebuilt, to a
    /// path that does not exist yet. Quarantine is not included; losing it loses no answer.
    ///
    /// Other processes may append meanwhile: the backup contains what is in the log at its start.
    /// The log of a database is copied into a file first. Throws `BackupError` or `StoreError`.
    public static func backUp(
        _ configuration: Configuration, environment: Environment, to path: String,
        report: @escaping @Sendable (BackupStep) -> Void = { _ in }
    ) async throws -> LogBackup.Report {
        let directory = directory(configuration, environment)
        if let engine = try engine(of: configuration) {
            return try await withScratch(directory, "backup") { scratch in
                try await copy(engine, environment, into: scratch, report)
                return try await backUp(scratch, environment, to: path, report)
            }
        }
        // Opening a missing log would create an empty one, and its backup would look like success.
        guard FileManager.default.fileExists(atPath: "\(directory)/\(EventLog.fileName)") else {
            throw BackupError.noLog(directory)
        }
        return try await backUp(directory, environment, to: path, report)
    }

    private static func backUp(
        _ directory: String, _ environment: Environment, to path: String,
        _ report: @escaping @Sendable (BackupStep) -> Void
    ) async throws -> LogBackup.Report {
        let log = try await EventLog.open(directory: directory)
        do {
            let done = try await LogBackup(log, environment: environment, to: path)
                .run(report: report)
            await log.close()
            return done
        } catch {
            await log.close()
            throw error
        }
    }

    /// Copies the log of a database into a directory.
    private static func copy(
        _ engine: any LogEngine, _ environment: Environment, into directory: String,
        _ report: @escaping @Sendable (BackupStep) -> Void
    ) async throws {
        let source = try await engine.openLog(environment)
        let target = try await EventLog.open(directory: directory)
        let result = await Outcome { () throws(StoreError) in
            try await LogCopy(from: source, to: target).run {
                report(.copying(done: $0, all: $1))
            }
        }
        await target.close()
        await source.close()
        _ = try result.get()
    }

    /// Verifies a backup, puts it in place of an environment's log, and projects it.
    ///
    /// The log of a database is not replaced: it must be empty, or the beginning of the backup.
    /// Throws `BackupError` or `StoreError`; the previous log is then unchanged.
    ///
    /// - `replaces`: whether a log with events may be replaced; it is kept under another name.
    /// - `now`: the time in that name.
    /// - `erasures`: applied again where the backup lacks them, beside those of the log replaced.
    /// - Returns: also why derived data could not be rebuilt; the log is in place all the same, and
    ///   the next command rebuilds it.
    public static func restore(
        _ configuration: Configuration, environment: Environment, from path: String,
        replaces: Bool = false, now: Timestamp, erasures: [ErasureRecord] = [],
        report: @escaping @Sendable (BackupStep) -> Void = { _ in }
    ) async throws -> (restored: LogRestore.Report, projectionFailure: StoreError?) {
        let directory = directory(configuration, environment)
        let done: LogRestore.Report
        if let engine = try engine(of: configuration) {
            done = try await withScratch(directory, "restore") { scratch in
                let scratched = try await LogRestore(
                    path, into: scratch, environment: environment, replaces: true, now: now,
                    erasures: erasures
                ).run(report: report)
                let copied = try await copy(scratch, into: engine, environment, report)
                return LogRestore.Report(
                    before: copied.before, head: copied.head, setAside: nil,
                    erasureCount: scratched.erasureCount)
            }
        } else {
            done = try await LogRestore(
                path, into: directory, environment: environment, replaces: replaces, now: now,
                erasures: erasures
            ).run(report: report)
        }
        do throws(StoreError) {
            let session = try await LedgerSession.open(configuration, environment: environment)
            await session.close()
            return (done, nil)
        } catch { return (done, error) }
    }

    /// Copies a verified log into a database whose log is the beginning of it.
    private static func copy(
        _ directory: String, into engine: any LogEngine, _ environment: Environment,
        _ report: @escaping @Sendable (BackupStep) -> Void
    ) async throws -> LogRestore.Report {
        let source = try await EventLog.open(directory: directory)
        let result = await Outcome { () throws(StoreError) in
            let target = try await engine.openLog(environment)
            let copied = await Outcome { () throws(StoreError) in
                let done = try await LogCopy(from: source, to: target).run {
                    report(.copying(done: $0, all: $1))
                }
                return LogRestore.Report(
                    before: .position(done.presentCount), head: try await target.head(),
                    setAside: nil, erasureCount: 0)
            }
            await target.close()
            return try copied.get()
        }
        await source.close()
        return try result.get()
    }

    /// Runs `body` with a directory of this process for a copy of a log. Removes it afterwards, and
    /// before those of processes that died.
    private static func withScratch<Value>(
        _ directory: String, _ name: String, _ body: (String) async throws -> Value
    ) async throws -> Value {
        let prefix = "\(name)-copy-"
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
