public import AppStore

/// A period of a subscription as definitions of others read it: what was paid for, whether it stands,
/// and what was just before. Copies that came by family sharing or were assigned have none.
public struct PeriodReading: Hashable, Sendable {
    /// From when it governs.
    public let start: Timestamp
    /// When it ends: at its stated end, or where the next one begins before.
    public let end: Timestamp
    /// When it was bought.
    public let purchase: Timestamp
    public let values: DimensionValues
    /// The chain's state just before; nil for the first that is known.
    public let stateBefore: ChainState?
    /// Refunded by the limit, and not given back by then.
    public let isRefunded: Bool

    public var isTrial: Bool { values.phase == .trial }

    /// Access had ended before it was bought: in billing retry, after it, or by a revocation.
    public var followsGap: Bool { stateBefore.map { !$0.isEntitled } ?? false }

    init(_ period: CountedPeriod, _ history: History, limit: Timestamp) {
        start = period.start
        end = period.end
        purchase = period.purchase
        values = period.values
        let before = history.interval(at: period.start.advanced(byMilliseconds: -1))
        stateBefore = before.map { history.intervals[$0].state }
        isRefunded = history.periods[period.index].spans.contains { span in
            !span.isFamilyRevoke && span.from < limit && (span.to.map { $0 >= limit } ?? true)
        }
    }
}

/// A failed renewal that was paid after all.
public struct RecoveryReading: Hashable, Sendable {
    public let at: Timestamp
    /// `grace` or `billingRetry`.
    public let state: ChainState
    /// Of the period whose renewal failed.
    public let values: DimensionValues
}

extension Lifecycle {
    /// The periods that began before the limit, in order; none of what was bought once.
    ///
    /// - Parameters:
    ///   - app: the chain's app, which its life does not name.
    ///   - limit: the earlier of now and knownAt.
    public func periodReadings(
        in app: BundleId, catalogue: Catalogue, limit: Timestamp
    ) -> [PeriodReading] {
        guard !isOneTime else { return [] }
        let reader = OccurrenceReader(self, app: app, catalogue: catalogue, limit: limit)
        return reader.periods.filter { $0.isCounted && $0.start < limit }.map {
            PeriodReading($0, history, limit: limit)
        }
    }

    /// Failed renewals that were paid, by the moment they were.
    public func recoveryReadings(
        in app: BundleId, catalogue: Catalogue, limit: Timestamp
    ) -> [RecoveryReading] {
        guard !isOneTime else { return [] }
        let reader = OccurrenceReader(self, app: app, catalogue: catalogue, limit: limit)
        let intervals = history.intervals
        return zip(intervals, intervals.dropFirst()).compactMap { failed, next in
            guard failed.state == .grace || failed.state == .billingRetry, next.state.isInPeriod,
                next.from < limit, let period = reader.period(failed), period.isCounted
            else { return nil }
            return RecoveryReading(at: next.from, state: failed.state, values: period.values)
        }
    }

    /// Whether the first period that is known is not the chain's first: how it began is not known.
    public var isAdopted: Bool { isHistoryMissingBefore }
}
