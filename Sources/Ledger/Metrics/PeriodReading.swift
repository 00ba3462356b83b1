public import AppStore

/// A period of a subscription as other products' metric definitions use it: the purchase, whether
/// it was refunded, and the state just before. Copies by Family Sharing or assignment have none.
public struct PeriodReading: Hashable, Sendable {
    /// When it starts to govern.
    public let start: Timestamp
    /// Its stated end, or the start of the next one if earlier.
    public let end: Timestamp
    /// When it was bought.
    public let purchase: Timestamp
    public let values: DimensionValues
    /// The chain's state just before; nil for the first known period.
    public let stateBefore: ChainState?
    /// Refunded at the limit, without a reversal by then.
    public let isRefunded: Bool

    /// Apple calls its purchase a renewal.
    public let isRenewal: Bool

    public var isTrial: Bool { values.phase == .trial }

    /// Access had ended before it was bought: in billing retry, after it, or by a revocation.
    public var followsGap: Bool { stateBefore.map { !$0.isEntitled } ?? false }

    init(_ period: CountedPeriod, _ history: History, limit: Timestamp) {
        start = period.start
        end = period.end
        purchase = period.purchase
        values = period.values
        isRenewal = period.isRenewal
        stateBefore = history.state(at: period.start.advanced(byMilliseconds: -1))
        isRefunded = history.periods[period.index].spans.contains { $0.isRefund(before: limit) }
    }
}

/// A failed renewal that was recovered.
public struct RecoveryReading: Hashable, Sendable {
    public let at: Timestamp
    /// `grace` or `billingRetry`.
    public let state: ChainState
    /// Of the period whose renewal failed.
    public let values: DimensionValues
}

extension Lifecycle {
    /// The periods that began before the limit, in order; one-time purchases have none.
    ///
    /// - `app`: the chain's app, which is not part of its life.
    /// - `limit`: the earlier of now and knownAt.
    public func periodReadings(
        in app: BundleId, catalogue: Catalogue, limit: Timestamp
    ) -> [PeriodReading] {
        let life = counted(catalogue)
        guard !life.isOneTime else { return [] }
        let reader = OccurrenceReader(life, app: app, catalogue: catalogue, limit: limit)
        return reader.periods.filter { $0.isCounted && !$0.isReplaced && $0.start < limit }.map {
            PeriodReading($0, life.history, limit: limit)
        }
    }

    /// Recovered renewals, by the time of recovery.
    public func recoveryReadings(
        in app: BundleId, catalogue: Catalogue, limit: Timestamp
    ) -> [RecoveryReading] {
        let life = counted(catalogue)
        guard !life.isOneTime else { return [] }
        let reader = OccurrenceReader(life, app: app, catalogue: catalogue, limit: limit)
        let intervals = life.history.intervals
        return zip(intervals, intervals.dropFirst()).compactMap { failed, next in
            guard failed.state == .grace || failed.state == .billingRetry, next.state.isInPeriod,
                next.from < limit, let period = reader.period(failed), period.isCounted
            else { return nil }
            return RecoveryReading(at: next.from, state: failed.state, values: period.values)
        }
    }
}
