public import AppStore
import Foundation
public import Intake
public import SQLiteStore

/// Backs up one environment's log, the only data that cannot be rebuilt. Quarantine is not
/// included; losing it loses no answer.
public struct Backup: Sendable {
    private let configuration: Configuration
    private let environment: Environment

    public init(_ configuration: Configuration, environment: Environment) {
        self.configuration = configuration
        self.environment = environment
    }

    /// Writes a verified backup to a path that does not exist yet.
    ///
    /// Other processes may append meanwhile: the backup contains what is in the log at its start.
    /// Throws `BackupError` or `StoreError`.
    public func run(
        to path: String, report: @escaping @Sendable (BackupStep) -> Void = { _ in }
    ) async throws -> LogBackup.Report {
        let directory = EnvironmentLedger.directory(configuration, environment)
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
}

extension EnvironmentLedger {
    /// The directory of an environment's files.
    static func directory(_ configuration: Configuration, _ environment: Environment) -> String {
        "\(configuration.dataDirectory)/\(directoryName(environment))"
    }
}
