import AppStore

/// The whole valid-time history of one chain: the result of reduction
/// (`Lifecycle.md` §2: a pure function of the set of facts).
///
/// A class, because every reader keeps a reference and copying its arrays would retain each.
final class History: Sendable {
    let facts: OrderedFacts
    let records: [TransactionRecord]
    /// In rule 4's order, each with the time it counts from.
    let periods: [Period]
    /// The result of rule 5 after each period; nil where the next one follows without a gap.
    let after: [AfterPeriod?]
    /// The subject of each renewal snapshot.
    let renewalSubjects: RenewalSubjects
    /// Adjacent, in order, without gaps between them.
    let intervals: [Interval]
    /// Whether the chain is of one-time purchases (`Lifecycle.md` §5); each period is then open or
    /// of the catalogue's duration.
    let isOneTime: Bool

    init(_ facts: OrderedFacts, catalogue: Catalogue) {
        var reader = HistoryReader(facts, catalogue)
        isOneTime = reader.periods.isEmpty
        if isOneTime { reader.readOneTimePurchases() } else { reader.readPeriods() }
        self.facts = facts
        records = reader.records
        periods = reader.periods
        after = reader.after
        renewalSubjects = reader.subjects
        intervals = reader.intervals
    }

    /// Index of the interval that contains `time`; nil before the first.
    func interval(at time: Timestamp) -> Int? {
        let next = intervals.indices.partitioningIndex { intervals[$0].from > time }
        return next == 0 ? nil : next - 1
    }

    /// Nil before the first period.
    func state(at time: Timestamp) -> ChainState? {
        interval(at: time).map { intervals[$0].state }
    }

    /// The state immediately before a period counts (`Lifecycle.md` §2 rule 7).
    func stateBefore(_ period: Period) -> ChainState? {
        state(at: period.countsFrom.advanced(byMilliseconds: -1))
    }

    /// Rule 6: the period that governs at `time`; nil before the first.
    func governingPeriod(at time: Timestamp) -> Period? {
        interval(at: time).map { periods[intervals[$0].period] }
    }

    /// The facts that decide the state in an interval: those of its period, and the proofs of its
    /// state and of the earlier ones of that period, because each begins where the last one ended.
    func decidingFacts(of index: Int) -> [Int] {
        let period = periods[intervals[index].period]
        return [period.firstFact, period.bestFact, period.endFact]
            + proofs(of: index).flatMap(\.facts)
    }

    /// The lowest trust among these facts, except those that state only a reason.
    func trust(of index: Int) -> Trust {
        let period = periods[intervals[index].period]
        let dating = proofs(of: index).flatMap { [$0.cause, $0.date ?? $0.cause] }
        return ([period.bestFact, period.endFact] + dating).map { facts[$0].trust }.min()
            ?? .signed
    }

    private func proofs(of index: Int) -> [Proof] {
        intervals[max(0, index + 1 - History.citedStates)...index]
            .filter { $0.period == intervals[index].period }.map(\.proof)
    }

    /// Maximum states of one period that an answer cites, so that hostile repetitions cost little.
    static let citedStates = 8

    /// The first and the last interval of the unbroken time around one of them in which every state
    /// satisfies the condition.
    func unbroken(
        around index: Int, where condition: (ChainState) -> Bool
    ) -> (first: Int, last: Int) {
        var (first, last) = (index, index)
        while first > 0, condition(intervals[first - 1].state) { first -= 1 }
        while last + 1 < intervals.count, condition(intervals[last + 1].state) { last += 1 }
        return (first, last)
    }
}

extension History {
    /// The period index of each transaction.
    var periodIndices: [TransactionId: Int] {
        var indices: [TransactionId: Int] = [:]
        if isOneTime {
            guard !periods.isEmpty else { return [:] }
            for record in records {
                let bought = facts[record.bestFact].statedTransaction?.purchaseDate
                let next = periods.indices.partitioningIndex { index in
                    bought.map { $0 < periods[index].start } ?? true
                }
                indices[record.transactionId] = max(0, next - 1)
            }
        }
        for (index, period) in periods.enumerated() {
            for record in period.records + period.late {
                indices[records[record].transactionId] = index
            }
        }
        return indices
    }
}
