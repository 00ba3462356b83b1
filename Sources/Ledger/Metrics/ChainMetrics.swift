public import AppStore

/// What one chain contributes to every metric: values made from its life alone, without a clock. They
/// may lie in the future; whoever sums them cuts at now.
public struct ChainMetrics: Hashable, Sendable {
    /// Adjacent, in order; empty for one-time purchases, which no roll-forward counts.
    public var stretches: [CountedStretch]

    /// - Parameter app: the chain's app, which its life does not name.
    public init(_ life: Lifecycle, of app: BundleId, catalogue: Catalogue) {
        stretches = StretchReader(history: life.history, app: app, catalogue: catalogue)
            .stretches(isHistoryMissing: life.isHistoryMissingBefore)
    }

    /// Every change between stretches, the first one's beginning included.
    public var movements: [Movement] {
        stretches.indices.map { index in
            Movement(before: index == 0 ? nil : stretches[index - 1], after: stretches[index])
        }
    }
}

/// A change in what a chain counts as. What it means depends on what was asked: a change of a
/// dimension that was not asked for is none.
public struct Movement: Hashable, Sendable {
    /// Nil at the beginning of the history.
    public var before: CountedStretch?
    public var after: CountedStretch

    public var at: Timestamp { after.from }
}

extension Lifecycle {
    /// Whether the first period known is not the chain's first.
    var isHistoryMissingBefore: Bool {
        notices.contains { $0.code == .historyMissingBefore }
    }
}

/// Reads the stretches of a chain off its history.
struct StretchReader {
    let history: History
    let app: BundleId
    let catalogue: Catalogue

    func stretches(isHistoryMissing: Bool) -> [CountedStretch] {
        guard !history.isOneTime else { return [] }
        var stretches: [CountedStretch] = []
        stretches.reserveCapacity(history.intervals.count)
        var wasEntitled = false
        for index in history.intervals.indices {
            // Most intervals are of the same period as the one before.
            let last = stretches.last.flatMap { last in
                history.intervals[index].period == history.intervals[index - 1].period ? last : nil
            }
            guard var stretch = stretch(index, like: last) else { return [] }
            if stretch.state.isEntitled {
                if !wasEntitled { stretch.entry = isHistoryMissing ? .appeared : .new }
                wasEntitled = true
            }
            stretches.append(stretch)
        }
        return stretches
    }

    /// Nil when the governing period states nothing, which no history has.
    ///
    /// - Parameter last: the stretch before, when the same period governs it.
    private func stretch(_ index: Int, like last: CountedStretch?) -> CountedStretch? {
        let interval = history.intervals[index]
        if var stretch = last {
            (stretch.from, stretch.to) = (interval.from, interval.to)
            (stretch.state, stretch.reason) = (interval.state, interval.reason)
            stretch.cause = history.facts[interval.cause].position
            stretch.entry = gain(index)
            return stretch
        }
        let governing = history.periods[interval.period]
        guard let snapshot = history.facts[governing.bestFact].statedTransaction else { return nil }
        let period = BillingPeriod(governing, history, catalogue: catalogue)
        var stretch = CountedStretch(
            from: interval.from, to: interval.to, state: interval.state,
            values: DimensionValues(snapshot, app: app, catalogue: catalogue), entry: nil,
            reason: interval.reason, period: period, annualised: nil,
            cause: history.facts[interval.cause].position)
        if let price = snapshot.price, snapshot.currency != nil {
            stretch.annualised = period?.annualised(price)
        }
        stretch.entry = gain(index)
        return stretch
    }

    /// Of a chain that was entitled before at some time; nil when it was until now.
    private func gain(_ index: Int) -> Gain? {
        let interval = history.intervals[index]
        guard interval.state.isEntitled, index > 0 else { return nil }
        let last = history.intervals[index - 1]
        switch last.state {
        case .billingRetry: return .recovered
        case .expired: return .reactivated
        // The same period gives access again only when its revocation was taken back.
        case .revoked: return interval.period == last.period ? .reinstated : .reactivated
        default: return nil
        }
    }
}
