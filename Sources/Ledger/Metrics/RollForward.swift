import AppStore

/// Sums what chains contribute into the rows of a roll-forward (`metrics.md`): what was active just
/// before each interval, what came and went in it, and what was active just before its end.
///
/// What is active is counted on its own, from the stretches; the columns are counted from the
/// movements between them. Their difference is the row's residue, which is 0 exactly when both agree.
public struct RollForward: Sendable {
    public let question: RollForwardQuestion
    private var groups: [RollForwardQuestion.Key: Int] = [:]
    private var keys: [RollForwardQuestion.Key] = []
    /// For each group: what is active just before an instant, less what was just before the one
    /// before it.
    var steps: [[Int: Int64]] = []
    var unpricedSteps: [[Int: Int64]] = []
    /// For each group and interval.
    var sums: [[Int: [RollForwardColumn: Int64]]] = []

    public init(_ question: RollForwardQuestion) {
        self.question = question
    }

    // MARK: Adding

    /// Adds one chain. The order of chains changes nothing.
    public mutating func add(_ chain: ChainMetrics) {
        guard question.instants.count > 1 else { return }
        var before: CountedStretch?
        for stretch in chain.stretches {
            addActive(stretch)
            if let interval = question.interval(of: stretch.from) {
                for change in Movement(before: before, after: stretch).changes(question)
                where change.amount != 0 {
                    sums[group(change.key)][interval, default: [:]][change.column, default: 0] +=
                        change.amount
                }
            }
            before = stretch
        }
    }

    /// Adds what another one of the same question has.
    public mutating func add(_ other: RollForward) {
        for (index, key) in other.keys.enumerated() {
            let group = group(key)
            steps[group].merge(other.steps[index], uniquingKeysWith: +)
            unpricedSteps[group].merge(other.unpricedSteps[index], uniquingKeysWith: +)
            sums[group].merge(other.sums[index]) { $0.merging($1, uniquingKeysWith: +) }
        }
    }

    /// A stretch `[from, to)` is active just before every instant in `(from, to]`.
    private mutating func addActive(_ stretch: CountedStretch) {
        guard question.counts(stretch) else { return }
        let first = question.firstInstant(after: stretch.from)
        let end = stretch.to.map { question.firstInstant(after: $0) } ?? question.instants.count
        guard first < end else { return }
        let group = group(question.key(stretch.values, reason: nil))
        let amount = question.amount(stretch)
        steps[group][first, default: 0] += amount
        steps[group][end, default: 0] -= amount
        guard question.measure == .money, stretch.annualised == nil else { return }
        unpricedSteps[group][first, default: 0] += 1
        unpricedSteps[group][end, default: 0] -= 1
    }

    mutating func group(_ key: RollForwardQuestion.Key) -> Int {
        if let known = groups[key] { return known }
        groups[key] = keys.count
        keys.append(key)
        steps.append([:])
        unpricedSteps.append([:])
        sums.append([:])
        return keys.count - 1
    }

    // MARK: Rows

    /// The rows by interval, then by group. Grouped, one for each group in which anything was or
    /// happened; else one for each interval, even if nothing did. Money is always grouped by
    /// currency.
    public func rows() -> [RollForwardRow] {
        let order = keys.indices.sorted {
            RollForwardQuestion.precedes(keys[$0], keys[$1])
        }
        let bases = order.map { rateGroup(of: $0) }
        var active = keys.indices.map { steps[$0][0] ?? 0 }
        var unpriced = keys.indices.map { unpricedSteps[$0][0] ?? 0 }
        let isWhole = question.dimensions.isEmpty && question.measure != .money
        var rows: [RollForwardRow] = []
        for interval in question.instants.indices.dropLast() {
            let bounds = (question.instants[interval], question.instants[interval + 1])
            if isWhole, order.isEmpty {
                rows.append(RollForwardRow(from: bounds.0, to: bounds.1, group: []))
            }
            let starts = active
            for (group, base) in zip(order, bases) {
                active[group] += steps[group][interval + 1] ?? 0
                unpriced[group] += unpricedSteps[group][interval + 1] ?? 0
                var row = RollForwardRow(from: bounds.0, to: bounds.1, group: keys[group])
                (row.activeStart, row.activeEnd) = (starts[group], active[group])
                row.rateBase = base.map { starts[$0] } ?? 0
                row.unpricedEnd = unpriced[group]
                row.columns = sums[group][interval] ?? [:]
                guard question.admits(row.group) else { continue }
                if isWhole || !row.isEmpty { rows.append(row) }
            }
        }
        return rows
    }

    /// The group whose active chains those of this one left: its own, or that of the same values
    /// without a reason.
    private func rateGroup(of group: Int) -> Int? {
        guard let place = question.reasonPlace else { return group }
        var key = keys[group]
        key[place] = nil
        return groups[key]
    }
}
