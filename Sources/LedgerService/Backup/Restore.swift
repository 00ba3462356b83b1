public import AppStore
public import LedgerStore

/// Puts a backup in the place of one environment's log, and makes again what is derived from it.
public struct Restore: Sendable {
    private let configuration: Configuration
    private let environment: Environment
    private let replaces: Bool
    private let clock: @Sendable () -> Timestamp

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
    /// Throws `BackupError` or `StoreError`; then the log that was there is there still, unless
    /// only the projecting failed, which the next command makes up for.
    public func run(
        from path: String, report: @escaping @Sendable (LogRestore.Step) -> Void = { _ in }
    ) async throws -> LogRestore.Report {
        let done = try await LogRestore(
            path, into: EnvironmentLedger.directory(configuration, environment),
            environment: environment, replaces: replaces, now: clock()
        ).run(report: report)
        let session = try await LedgerSession.open(configuration, environment: environment)
        await session.close()
        return done
    }
}
