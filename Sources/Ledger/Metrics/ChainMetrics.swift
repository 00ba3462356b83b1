public import AppStore

/// One chain's contribution to every metric: values computed from its life alone, without a clock.
/// They may lie in the future; the code that sums them cuts off at now.
public struct ChainMetrics: Hashable, Sendable {
    /// Adjacent, in order; empty for one-time purchases, which no roll-forward counts.
    public var stretches: [CountedStretch]

    /// - `app`: the chain's app, which is not part of its life.
    public init(_ life: Lifecycle, of app: BundleId, catalogue: Catalogue) {
        let life = life.counted(catalogue)
        stretches = StretchReader(history: life.history, app: app, catalogue: catalogue)
            .stretches(isHistoryMissing: life.isAdopted)
    }

    /// The movements before `end` that an event decided, as churn over all chains counts them.
    public func counted(by cause: Int64, before end: Timestamp) -> [DecidedChange] {
        let question = RollForwardQuery(.chains, instants: [])
        return stretches.indices.flatMap { index -> [DecidedChange] in
            let at = stretches[index].from
            guard stretches[index].cause == cause, at < end else { return [] }
            return changes(at: index, question).map { DecidedChange(.counted($0.column), at: at) }
        }
    }
}

extension Lifecycle {
    /// Whether the first known period is not the chain's first, so that its start is unknown.
    public var isAdopted: Bool {
        notices.contains { $0.code == .historyMissingBefore }
    }
}

/// Computes the stretches of a chain from its history.
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
            guard var stretch = stretch(index, after: stretches.last) else { return [] }
            if stretch.state.isEntitled {
                if !wasEntitled { stretch.entry = isHistoryMissing ? .appeared : .new }
                wasEntitled = true
            }
            stretches.append(stretch)
        }
        return stretches
    }

    /// Nil if the governing period has no snapshot, which does not occur.
    private func stretch(_ index: Int, after last: CountedStretch?) -> CountedStretch? {
        let period = history.intervals[index].period
        // Most intervals have the same period as the one before.
        if var stretch = last, period == history.intervals[index - 1].period {
            stretch.from = history.intervals[index].from
            stretch.to = history.intervals[index].to
            stretch.state = history.intervals[index].state
            stretch.reason = history.intervals[index].reason
            stretch.cause = history.facts[history.intervals[index].cause].position
            stretch.entry = gain(index)
            return stretch
        }
        guard let snapshot = snapshot(of: period) else { return nil }
        let billing = BillingPeriod(period, history, catalogue: catalogue)
        var stretch = CountedStretch(
            from: history.intervals[index].from, to: history.intervals[index].to,
            state: history.intervals[index].state,
            values: values(snapshot, index, after: last), entry: gain(index),
            reason: history.intervals[index].reason, period: billing, annualised: nil,
            cause: history.facts[history.intervals[index].cause].position)
        if let price = snapshot.price, snapshot.currency != nil {
            stretch.annualised = billing?.annualised(price)
        }
        return stretch
    }

    private func snapshot(of period: Int) -> Shared<TransactionSnapshot>? {
        history.facts[history.periods[period].bestFact].statedTransaction
    }

    /// Reuses those of the stretch before if nothing changed, as in nearly every renewal.
    private func values(
        _ snapshot: Shared<TransactionSnapshot>, _ index: Int, after last: CountedStretch?
    ) -> DimensionValues {
        if let last, let before = self.snapshot(of: history.intervals[index - 1].period),
            snapshot.isGrouped(like: before)
        {
            return last.values
        }
        return DimensionValues(snapshot, app: app, catalogue: catalogue)
    }

    /// The gain if access returns after time without it; else nil, also at the first interval.
    private func gain(_ index: Int) -> Gain? {
        guard history.intervals[index].state.isEntitled, index > 0 else { return nil }
        switch history.intervals[index - 1].state {
        case .billingRetry: return .recovered
        case .expired: return .reactivated
        // The same period gives access again only after its revocation was reversed.
        case .revoked:
            let isSame = history.intervals[index].period == history.intervals[index - 1].period
            return isSame ? .reinstated : .reactivated
        default: return nil
        }
    }
}
