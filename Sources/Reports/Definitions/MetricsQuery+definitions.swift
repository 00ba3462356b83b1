import Ledger
internal import Projection
internal import Queries

extension MetricsQuery {
    /// Maximum number of intervals in one comparison; some need a separate count for each.
    public static let comparedIntervalCount = 400

    /// The period of rates documented over the last days.
    static let lastDaysMilliseconds: Int64 = 30 * 86_400_000

    /// A metric under our definition and another product's.
    public func comparison(
        _ metric: String, _ parameters: MetricParameters, _ pack: DefinitionPack
    ) async throws(MetricsError) -> Report {
        guard let rules = pack.rules(metric) else { throw .undocumented(metric, pack) }
        let isByReason = try isByReason(try parameters.dimensions(), metric, pack)
        let scope = try parameters.scope(reportTimeZone, limit: limit)
        guard scope.instants.count <= MetricsQuery.comparedIntervalCount + 1 else {
            throw .tooManyIntervals(limit: MetricsQuery.comparedIntervalCount)
        }
        guard scope.filters[.reason] == nil else { throw .comparedWhole }
        // Churn by reason has no rate, and returns have no reason.
        let applied = isByReason ? [.trialsExcluded] : rules
        // Chains leave every filter but that by app, and leaving a filter loses no subscriber.
        guard
            metric == CountedMetric.active.rawValue || !applied.contains(.perSubscriber)
                || scope.filters.keys.allSatisfy({ $0 == .app })
        else { throw .comparedWhole }
        var seen = SeenValues([], scope.filters, snapshot.ledger.catalogue)
        try await noteClasses(&seen)
        let empty = ComparedSums(
            metric, pack, applied, instants: scope.instants, filters: scope.filters,
            isByReason: isByReason)
        let (catalogue, limit) = (snapshot.ledger.catalogue, limit)
        let sums = try await sumLives(empty) { sums, chain, life in
            sums.tally.hasChains = true
            sums.add(life, chain, catalogue, limit)
        }
        guard !sums.sums.isTooLarge else { throw .amountTooLarge }
        let rows = try sums.rows()
        let comparison = Comparison(
            pack: pack, figures: sums.sums.figures, rules: applied,
            reasons: isByReason ? pack.reasons : [])
        return Report(
            stamp: try await stamp(
                MetricName.definition(metric), scope,
                remarks: remarks(sums.tally.hasChains, seen) + sums.remarks(on: rows)),
            subject: .comparison(comparison), scope: scope,
            dimensions: Comparison.dimensions, columns: comparison.columns, rows: rows)
    }

    /// Only churn is broken down by reason, and only for products with names of reasons.
    private func isByReason(
        _ dimensions: [Dimension], _ metric: String, _ pack: DefinitionPack
    ) throws(MetricsError) -> Bool {
        guard !dimensions.isEmpty else { return false }
        guard dimensions == [.reason], metric == MetricName.churnName else { throw .comparedWhole }
        guard !pack.reasons.isEmpty else { throw .undocumented("\(metric) by reason", pack) }
        return true
    }
}
