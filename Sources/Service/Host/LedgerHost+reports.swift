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
        _ name: MetricName, _ parameters: MetricParameters, rates: CurrencyRates? = nil,
        _ scope: QueryScope
    ) async throws -> ServedAnswer {
        try await answer(scope, rates: rates) { query in
            try await query.metric(name, parameters)
        }
    }

    /// A metric under another product's definition beside our own (`--definitions`).
    public func comparison(
        _ name: String, _ parameters: MetricParameters, _ pack: DefinitionPack, _ scope: QueryScope
    ) async throws -> ServedAnswer {
        let name = try MetricName(compared: name).rawValue
        return try await answer(scope) { query in
            try await query.comparison(name, parameters, pack)
        }
    }

    /// `metrics diff`.
    ///
    /// - Parameter limits: one state of knowledge, to compare with everything, or two of the same
    ///   kind.
    public func metricsDiff(
        _ name: String, _ parameters: MetricParameters, between limits: [AsOf],
        rates: CurrencyRates? = nil, _ scope: QueryScope
    ) async throws -> ServedAnswer {
        let metric = try MetricName(compared: name)
        guard let (before, after) = AsOf.compared(limits) else {
            throw MetricsError.comparedKnowledge
        }
        var scope = scope
        scope.knowledge = after
        let least = try await ledger(scope.environment).leastPosition(of: before)
        scope.minPosition = max(scope.minPosition ?? 0, least ?? 0)
        return try await answer(scope, rates: rates) { query in
            try await query.diff(metric, parameters, from: before)
        }
    }

    private func answer(
        _ scope: QueryScope, rates: CurrencyRates? = nil,
        _ compute: @Sendable (MetricsQuery) async throws -> Report
    ) async throws -> ServedAnswer {
        let ledger = try ledger(scope.environment)
        let (report, position) = try await ledger.reports.pass {
            let snapshot = try await ledger.snapshot(for: scope)
            var query = MetricsQuery(
                snapshot.query, reportTimeZone: configuration.reportTimeZone, now: clock(),
                knowledge: scope.knowledge, bundleId: scope.bundleId)
            query.rates = rates
            return (try await compute(query), snapshot.position)
        }
        return ServedAnswer(
            position: max(position, report.stamp.position), lag: ledger.lag.positions
        ) { json, isStamped in report.write(to: &json, isStamped: isStamped) }
    }
}
