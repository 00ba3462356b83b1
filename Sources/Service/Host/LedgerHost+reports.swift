import AppStore
internal import Intake
public import Ledger
internal import LedgerStore
internal import Projection
public import Queries
public import Reports
import Synchronization

/// The parameters of a report.
public enum ReportQuestion: Sendable {
    /// `churn`, or `metrics NAME`.
    case metric(MetricName, MetricParameters, RateChoice = .usual)
    /// A metric under another product's definition next to our own (`--definitions`).
    case comparison(String, MetricParameters, DefinitionPack)
    /// `metrics diff`: one state of knowledge, to compare with everything, or two of the same kind.
    case diff(MetricName, MetricParameters, between: [AsOf], RateChoice)
}

/// Reports. Each environment computes one at a time, since a report takes every core. Each throws
/// `MetricsError` or `ServingError`.
extension LedgerHost {
    /// Maximum reports of an environment that clients ask for at once. Jobs and pages of the
    /// console have bounds of their own.
    public static let askedReportCount = 16

    /// The result of `make`, which computes a report for `ReportClient.current`.
    ///
    /// Throws `OperatorError` (`tooManyJobs`) beyond `askedReportCount`, and for a client that gave
    /// up.
    public func askedReport<Value: Sendable>(
        in environment: Environment, _ make: @Sendable () async throws -> Value
    ) async throws -> Value {
        let served = try ledger(environment)
        let hasRoom = served.askedReports.withLock { count in
            guard count < LedgerHost.askedReportCount else { return false }
            count += 1
            return true
        }
        guard hasRoom else {
            throw OperatorError(
                .tooManyJobs, "\(LedgerHost.askedReportCount) reports are waiting; retry later.")
        }
        defer { served.askedReports.withLock { $0 -= 1 } }
        return try await make()
    }

    /// A report. Calls `progress` while events are read.
    public func report(
        _ question: ReportQuestion, _ scope: QueryScope, progress: ReportProgress.Handler? = nil
    ) async throws -> Report {
        try await made(question, scope, progress) { report, _ in report }
    }

    /// Maximum bytes of a report as JSON: several fit in memory, and each can be sent.
    public static let maximumReportByteCount = 32 * 1024 * 1024

    /// The same as JSON. Throws `tooManyBytes` for one with more than `count` bytes.
    public func reportAnswer(
        _ question: ReportQuestion, _ scope: QueryScope,
        atMost count: Int = LedgerHost.maximumReportByteCount,
        progress: ReportProgress.Handler? = nil
    ) async throws -> ServedAnswer {
        let ledger = try ledger(scope.environment)
        return try await made(question, scope, progress) { report, position in
            let position = max(position, report.stamp.position)
            let answer = ServedAnswer(
                position: position, lag: ledger.lag(after: position), atMost: count
            ) { report.write(to: &$0) }
            guard let answer else { throw MetricsError.tooManyBytes(limit: count) }
            return answer
        }
    }

    /// The result of `finish` for a report, computed while its environment computes no other: a
    /// report and its JSON may be large.
    private func made<Value: Sendable>(
        _ question: ReportQuestion, _ scope: QueryScope, _ progress: ReportProgress.Handler?,
        _ finish: @Sendable (Report, _ position: Int64) throws -> Value
    ) async throws -> Value {
        switch question {
        case .metric(let name, let parameters, let rates):
            let table = try rates.table(for: name, parameters, configured: configuredRates)
            return try await computed(scope, table, progress) { query, position in
                try finish(try await query.metric(name, parameters), position)
            }
        case .comparison(let name, let parameters, let pack):
            let name = try MetricName(compared: name).rawValue
            return try await computed(scope, nil, progress) { query, position in
                try finish(try await query.comparison(name, parameters, pack), position)
            }
        case .diff(let metric, let parameters, let limits, let rates):
            let (scope, before) = try await compared(limits, scope)
            let table = try rates.table(for: metric, parameters, configured: configuredRates)
            return try await computed(scope, table, progress) { query, position in
                try finish(try await query.diff(metric, parameters, from: before), position)
            }
        }
    }

    /// What a difference compares: the later state in the scope, and the earlier one.
    private func compared(
        _ limits: [AsOf], _ scope: QueryScope
    ) async throws -> (QueryScope, before: AsOf) {
        guard let (before, after) = AsOf.compared(limits) else {
            throw MetricsError.comparedKnowledge
        }
        var scope = scope
        scope.knowledge = after
        let least = try await ledger(scope.environment).leastPosition(of: before)
        scope.minPosition = max(scope.minPosition ?? 0, least ?? 0)
        return (scope, before)
    }

    /// The chains behind one cell of a report, with the events that decided them.
    ///
    /// - `metric`: `churn`, by chains or by paid ones, or another one.
    /// - `after`: the `next` of the previous page; nil for the first page.
    public func cell(
        _ metric: MetricName, _ parameters: CellParameters, rates: RateChoice = .usual,
        _ scope: QueryScope, after: ChainId? = nil, limit: Int = LedgerHost.usualPageCount,
        progress: ReportProgress.Handler? = nil
    ) async throws -> CellChains {
        let limit = min(max(limit, 1), LedgerHost.maximumPageCount)
        let table = try rates.table(for: metric, parameters, configured: configuredRates)
        return try await computed(scope, table, progress) { query, _ in
            try await query.cell(metric, parameters, after: after, limit: limit)
        }
    }

    /// Nil: none is configured. A table that became unusable while the service runs fails the
    /// reports that need it.
    private func configuredRates() throws(MetricsError) -> CurrencyRates? {
        do throws(ConfigurationError) { return try ratesFile?.table() } catch {
            throw .unusableRates(error.description)
        }
    }

    /// The result of a query.
    private func computed<Value: Sendable>(
        _ scope: QueryScope, _ rates: CurrencyRates?, _ progress: ReportProgress.Handler?,
        _ compute: @Sendable (MetricsQuery, _ position: Int64) async throws -> Value
    ) async throws -> Value {
        try await computed(scope) { snapshot in
            var query = MetricsQuery(
                snapshot, reportTimeZone: configuration.reportTimeZone, now: clock(),
                knowledge: scope.knowledge, bundleId: scope.bundleId
            ) { done, total in progress?(ReportProgress(done: done, total: total)) }
            query.rates = rates
            return try await compute(query, snapshot.position)
        }
    }

    /// The result of `compute` for the state that a scope asks for, while the environment computes
    /// no other report.
    ///
    /// Throws `OperatorError` (`tooManyJobs`) where the client gave up before its turn, and
    /// `ServingError.stopping` where the task was cancelled meanwhile.
    func computed<Value: Sendable>(
        _ scope: QueryScope, _ compute: (LedgerSnapshot) async throws -> Value
    ) async throws -> Value {
        let ledger = try ledger(scope.environment)
        // A report that waits for its position must not keep others from being computed.
        _ = try await ledger.snapshot(for: scope)
        return try await ledger.reports.pass {
            guard ReportClient.current?.isWaiting() ?? true else {
                throw OperatorError(
                    .tooManyJobs, "The connection was closed while the report waited; retry.")
            }
            do {
                return try await compute(try await ledger.snapshot(for: scope))
            } catch {
                // A cancelled read fails with an error of its own.
                guard Task.isCancelled else { throw error }
                throw ServingError.stopping
            }
        }
    }
}

/// The client whose request a task answers.
public struct ReportClient: Sendable {
    /// Whether the client still waits. Asked when its report's turn comes: a report without a
    /// reader must not keep others waiting.
    let isWaiting: @Sendable () -> Bool

    /// None for a job, a page of the console, and a client on standard input.
    @TaskLocal public static var current: ReportClient?

    public init(isWaiting: @escaping @Sendable () -> Bool) { self.isWaiting = isWaiting }
}
