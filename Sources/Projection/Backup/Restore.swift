public import AppStore
public import Intake
public import LedgerStore
public import SQLiteStore

/// Replaces one environment's log by a backup, and rebuilds its derived data.
public struct Restore: Sendable {
    private let configuration: Configuration
    private let environment: Environment
    private let replaces: Bool
    private let clock: @Sendable () -> Timestamp

    /// The result.
    public struct Outcome: Sendable {
        public let restored: LogRestore.Report
        /// Why derived data could not be rebuilt; the log is in place all the same, and the next
        /// command rebuilds it.
        public let projectionFailure: StoreError?
    }

    /// - Parameters:
    ///   - replaces: whether a log with events may be replaced; it is kept under another name.
    ///   - clock: supplies the time in that name.
    public init(
        _ configuration: Configuration, environment: Environment, replaces: Bool = false,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.configuration = configuration
        self.environment = environment
        self.replaces = replaces
        self.clock = clock
    }

    /// Verifies the backup, puts it in place, and projects it.
    ///
    /// Throws `BackupError` or `StoreError`; the previous log is then unchanged.
    public func run(
        from path: String, report: @escaping @Sendable (BackupStep) -> Void = { _ in }
    ) async throws -> Outcome {
        let done = try await LogRestore(
            path, into: EnvironmentLedger.directory(configuration, environment),
            environment: environment, replaces: replaces, now: clock()
        ).run(report: report)
        do throws(StoreError) {
            let session = try await LedgerSession.open(configuration, environment: environment)
            await session.close()
            return Outcome(restored: done, projectionFailure: nil)
        } catch { return Outcome(restored: done, projectionFailure: error) }
    }
}
