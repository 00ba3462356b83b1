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
    /// Throws `BackupError` or `StoreError`.
    public static func backUp(
        _ configuration: Configuration, environment: Environment, to path: String,
        report: @escaping @Sendable (BackupStep) -> Void = { _ in }
    ) async throws -> LogBackup.Report {
        let directory = directory(configuration, environment)
        // Opening a missing log would create an empty one, and its backup would look like success.
        guard FileManager.default.fileExists(atPath: "\(directory)/\(EventLog.fileName)") else {
            throw BackupError.noLog(directory)
        }
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

    /// Verifies a backup, puts it in place of an environment's log, and projects it.
    ///
    /// Throws `BackupError` or `StoreError`; the previous log is then unchanged.
    ///
    /// - Parameters:
    ///   - replaces: whether a log with events may be replaced; it is kept under another name.
    ///   - now: the time in that name.
    /// - Returns: also why derived data could not be rebuilt; the log is in place all the same, and
    ///   the next command rebuilds it.
    public static func restore(
        _ configuration: Configuration, environment: Environment, from path: String,
        replaces: Bool = false, now: Timestamp,
        report: @escaping @Sendable (BackupStep) -> Void = { _ in }
    ) async throws -> (restored: LogRestore.Report, projectionFailure: StoreError?) {
        let done = try await LogRestore(
            path, into: directory(configuration, environment), environment: environment,
            replaces: replaces, now: now
        ).run(report: report)
        do throws(StoreError) {
            let session = try await LedgerSession.open(configuration, environment: environment)
            await session.close()
            return (done, nil)
        } catch { return (done, error) }
    }
}
