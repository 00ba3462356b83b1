public import AppStore

/// Something that happened to a chain, as one metric counts it.
public struct Occurrence: Hashable, Sendable {
    /// The interval it belongs to is that of this moment; of a cohort, of its beginning.
    public var at: Timestamp
    /// The values of the period it belongs to.
    public var values: DimensionValues
    /// What it adds, by column; names are the metric's.
    public var amounts: [String: Int64]
    /// Position of the event that proves it.
    public var cause: Int64

    public init(
        at: Timestamp, values: DimensionValues, amounts: [String: Int64], cause: Int64
    ) {
        self.at = at
        self.values = values
        self.amounts = amounts
        self.cause = cause
    }
}

extension Lifecycle {
    /// What the chain contributes to a metric, as far as it could be known by `limit`: what comes
    /// later has not happened.
    ///
    /// - Parameters:
    ///   - app: the chain's app, which its life does not name.
    ///   - limit: the earlier of now and knownAt.
    ///   - instants: between which it is asked; only what is active at the end of an interval
    ///     depends on them.
    public func occurrences(
        of metric: CountedMetric, in app: BundleId, catalogue: Catalogue, limit: Timestamp,
        instants: [Timestamp]
    ) -> [Occurrence] {
        var reader = OccurrenceReader(self, app: app, catalogue: catalogue, limit: limit)
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
