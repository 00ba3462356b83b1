import Ledger

/// One report is computed at a time for each environment: it takes every core. Each throws
/// `MetricsError` or `ServingError`.
extension LedgerHost {
    /// `churn`.
    public func churn(
        _ words: MetricsWords, isPaid: Bool, _ scope: QuestionScope
    ) async throws -> ServedAnswer {
        let ledger = try ledger(scope.environment)
        let (report, position) = try await ledger.reports.pass {
            let (query, position) = try await query(ledger, scope)
            return (try await query.churn(words, isPaid: isPaid), position)
        }
        return ServedAnswer(
            position: max(position, report.stamp.position), lag: ledger.lag.positions
        ) {
            report.write(to: &$0, isStamped: $1)
        }
    }

    /// `metrics NAME`.
    public func metric(
        _ name: String, _ words: MetricsWords, _ scope: QuestionScope
    ) async throws -> ServedAnswer {
        let ledger = try ledger(scope.environment)
        let name = try MetricName(name)
        let (report, position) = try await ledger.reports.pass {
            let (query, position) = try await query(ledger, scope)
            return (try await query.metric(name, words), position)
        }
        return ServedAnswer(
            position: max(position, report.stamp.position), lag: ledger.lag.positions
        ) {
            report.write(to: &$0, isStamped: $1)
        }
    }

    private func query(
        _ ledger: ServedLedger, _ scope: QuestionScope
    ) async throws -> (MetricsQuery, position: Int64) {
        let snapshot = try await ledger.snapshot(atLeast: scope.minPosition)
        let query = MetricsQuery(
            snapshot.query, reportTimeZone: configuration.reportTimeZone, now: clock(),
            knowledge: scope.knowledge, bundleId: scope.bundleId)
        return (query, snapshot.position)
    }
}
