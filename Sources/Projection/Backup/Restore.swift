public import AppStore
public import Intake
public import LedgerStore
public import SQLiteStore

/// Puts a backup in the place of one environment's log, and makes again what is derived from it.
public struct Restore: Sendable {
    private let configuration: Configuration
    private let environment: Environment
    private let replaces: Bool
    private let clock: @Sendable () -> Timestamp

    /// What came of it.
    public struct Outcome: Sendable {
        public let restored: LogRestore.Report
        /// Why what is derived could not be made again; the log is in its place all the same, and the
        /// next command makes up for it.
        public let projectionFailure: StoreError?
    }

    /// - Parameters:
    ///   - replaces: a log with events may be there; it is kept under another name.
    ///   - clock: names that.
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
    /// Throws `BackupError` or `StoreError`; then the log that was there is there still.
    public func run(
        from path: String, report: @escaping @Sendable (LogRestore.Step) -> Void = { _ in }
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
