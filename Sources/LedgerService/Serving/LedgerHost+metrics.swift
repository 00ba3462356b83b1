import Ledger

extension LedgerHost {
    /// `churn`. One report is computed at a time for each environment: it takes every core.
    ///
    /// Throws `MetricsError` or `ServingError`.
    public func churn(
        _ words: MetricsWords, isPaid: Bool, _ scope: QuestionScope
    ) async throws -> ServedAnswer {
        let ledger = try ledger(scope.environment)
        let now = clock()
        let report = try await ledger.reports.pass {
            let snapshot = try await ledger.snapshot(atLeast: scope.minPosition)
            let query = MetricsQuery(
                snapshot.query, reportTimeZone: configuration.reportTimeZone, now: now,
                knowledge: scope.knowledge, bundleId: scope.bundleId)
            return (try await query.churn(words, isPaid: isPaid), snapshot.position)
        }
        return ServedAnswer(position: report.1, lag: ledger.lag.positions) {
            report.0.write(to: &$0, isStamped: $1)
        }
    }
}
