import AppStore
internal import Intake
public import Ledger
internal import LedgerStore
internal import Projection
public import Queries
public import Reports

/// Reports. Each environment computes one at a time, since a report takes every core. Each throws
/// `MetricsError` or `ServingError`.
extension LedgerHost {
    /// `churn`, or `metrics NAME`.
    public func metric(
        _ name: MetricName, _ parameters: MetricParameters, rates: RateChoice = .usual,
        _ scope: QueryScope
    ) async throws -> ServedAnswer {
        let table = try table(rates, name, parameters)
        return try await answer(scope, rates: table) { try await $0.metric(name, parameters) }
    }

    /// The same as a value.
    public func report(
        _ name: MetricName, _ parameters: MetricParameters, rates: RateChoice = .usual,
        _ scope: QueryScope
    ) async throws -> Report {
        let table = try table(rates, name, parameters)
        return try await computed(scope, rates: table) {
            try await $0.metric(name, parameters)
        }.0
    }

    /// A metric under another product's definition beside our own (`--definitions`).
    public func comparison(
        _ name: String, _ parameters: MetricParameters, _ pack: DefinitionPack, _ scope: QueryScope
    ) async throws -> ServedAnswer {
        let name = try MetricName(compared: name).rawValue
        return try await answer(scope) { try await $0.comparison(name, parameters, pack) }
    }

    /// The same as a value.
    public func comparisonReport(
        _ name: String, _ parameters: MetricParameters, _ pack: DefinitionPack, _ scope: QueryScope
    ) async throws -> Report {
        let name = try MetricName(compared: name).rawValue
        return try await computed(scope) { try await $0.comparison(name, parameters, pack) }.0
    }

    /// `metrics diff`.
    ///
    /// - `limits`: one state of knowledge, to compare with everything, or two of the same
    ///   kind.
    public func metricsDiff(
        _ name: String, _ parameters: MetricParameters, between limits: [AsOf],
        rates: RateChoice = .usual, _ scope: QueryScope
    ) async throws -> ServedAnswer {
        let (scope, metric, before) = try await compared(name, limits, scope)
        return try await answer(scope, rates: try table(rates, metric, parameters)) {
            try await $0.diff(metric, parameters, from: before)
        }
    }

    /// The same as a value.
    public func diffReport(
        _ name: String, _ parameters: MetricParameters, between limits: [AsOf],
        rates: RateChoice = .usual, _ scope: QueryScope
    ) async throws -> Report {
        let (scope, metric, before) = try await compared(name, limits, scope)
        return try await computed(scope, rates: try table(rates, metric, parameters)) {
            try await $0.diff(metric, parameters, from: before)
        }.0
    }

    /// What a difference compares: the later state in the scope, and the earlier one.
    private func compared(
        _ name: String, _ limits: [AsOf], _ scope: QueryScope
    ) async throws -> (QueryScope, MetricName, before: AsOf) {
        let metric = try MetricName(compared: name)
        guard let (before, after) = AsOf.compared(limits) else {
            throw MetricsError.comparedKnowledge
        }
        var scope = scope
        scope.knowledge = after
        let least = try await ledger(scope.environment).leastPosition(of: before)
        scope.minPosition = max(scope.minPosition ?? 0, least ?? 0)
        return (scope, metric, before)
    }

    /// The chains behind one cell of a report, with the events that decided them.
    ///
    /// - `metric`: `churn`, by chains or by paid ones, or another one.
    /// - `after`: the `next` of the previous page; nil for the first page.
    public func cell(
        _ metric: MetricName, _ parameters: CellParameters, rates: RateChoice = .usual,
        _ scope: QueryScope, after: ChainId? = nil, limit: Int = LedgerHost.usualPageCount
    ) async throws -> CellChains {
        let limit = min(max(limit, 1), LedgerHost.maximumPageCount)
        let table = try rates.table(for: metric, parameters) { try configuredRates() }
        return try await computed(scope, rates: table) { query in
            try await query.cell(metric, parameters, after: after, limit: limit)
        }.0
    }

    /// `metrics chains`, paged.
    public func cellAnswer(
        _ metric: MetricName, _ parameters: CellParameters, rates: RateChoice = .usual,
        _ scope: QueryScope, after: ChainId?, limit: Int
    ) async throws -> ServedAnswer {
        let ledger = try ledger(scope.environment)
        let cell = try await cell(
            metric, parameters, rates: rates, scope, after: after, limit: limit)
        return ServedAnswer(position: cell.stamp.position, lag: ledger.lag.positions) {
            cell.write(to: &$0)
        }
    }

    /// Nil: none is configured. A table that became unusable while the service runs fails the
    /// reports that need it.
    private func configuredRates() throws(MetricsError) -> CurrencyRates? {
        do throws(ConfigurationError) { return try ratesFile?.table() } catch {
            throw .unusableRates(error.description)
        }
    }

    private func table(
        _ rates: RateChoice, _ metric: MetricName, _ parameters: MetricParameters
    ) throws -> CurrencyRates? {
        try rates.table(for: metric, parameters) { try configuredRates() }
    }

    private func answer(
        _ scope: QueryScope, rates: CurrencyRates? = nil,
        _ compute: @Sendable (MetricsQuery) async throws -> Report
    ) async throws -> ServedAnswer {
        let ledger = try ledger(scope.environment)
        let (report, position) = try await computed(scope, rates: rates, compute)
        return ServedAnswer(
            position: max(position, report.stamp.position), lag: ledger.lag.positions
        ) { report.write(to: &$0) }
    }

    /// What a query finds, and the position of the state it was asked of.
    private func computed<Value: Sendable>(
        _ scope: QueryScope, rates: CurrencyRates? = nil,
        _ compute: @Sendable (MetricsQuery) async throws -> Value
    ) async throws -> (Value, position: Int64) {
        let ledger = try ledger(scope.environment)
        return try await ledger.reports.pass {
            let snapshot = try await ledger.snapshot(for: scope)
            var query = MetricsQuery(
                snapshot.query, reportTimeZone: configuration.reportTimeZone, now: clock(),
                knowledge: scope.knowledge, bundleId: scope.bundleId)
            query.rates = rates
            return (try await compute(query), snapshot.position)
        }
    }
}
