public import AppStore

/// One event of a chain's life, as counted by a metric.
public struct Occurrence: Hashable, Sendable {
    /// The moment that decides its interval; for a cohort, the cohort's start.
    public var at: Timestamp
    /// The values of the period it belongs to.
    public var values: DimensionValues
    /// Its contribution by column of the metric.
    public var amounts: [String: Int64]
    /// Position of the event that proves it.
    public var cause: Int64
}

extension Lifecycle {
    /// The chain's contribution to a metric, as known at `limit`; anything later has not happened.
    ///
    /// - `app`: the chain's app, which is not part of its life.
    /// - `limit`: the earlier of now and knownAt.
    /// - `instants`: bounds of the requested intervals; only the chains active at the end of an
    ///   interval depend on them.
    public func occurrences(
        of metric: CountedMetric, in app: BundleId, catalogue: Catalogue, limit: Timestamp,
        instants: [Timestamp]
    ) -> [Occurrence] {
        var reader = OccurrenceReader(
            counted(catalogue), app: app, catalogue: catalogue, limit: limit)
        switch metric {
        case .active: reader.readActive(before: instants.dropFirst())
        case .starts: reader.readStart()
        case .trials: reader.readTrials()
        case .renewals: reader.readRenewals()
        case .reactivations: reader.readReactivations()
        case .recoveries: reader.readRecoveries()
        case .autoRenew: reader.readAutoRenew()
        case .productChanges: reader.readProductChanges()
        case .refunds: reader.readRefunds()
        case .refundsByPurchase: reader.readRefundsByPurchase()
        case .revenue: reader.readRevenue()
        case .proceeds: reader.readProceeds()
        case .retention: reader.readRetention()
        }
        return reader.found.filter { $0.at < limit }
    }
}
