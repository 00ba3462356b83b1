import AppStore

/// Sums chains into the rows of a roll-forward (`Metrics.md`): the amount active just before each
/// interval, gains and losses in it, and the amount active just before its end.
///
/// Active amounts are counted independently, from the stretches; the columns are counted from the
/// movements between them. The difference is the row's residue, which is 0 exactly if both agree.
public struct RollForward: Sendable {
    public let question: RollForwardQuery
    private var groups: [RollForwardQuery.Key: Int] = [:]
    private(set) var keys: [RollForwardQuery.Key] = []
    /// For each group: the amount active just before an instant, minus that just before the
    /// previous instant.
    var steps: [[Int: Int64]] = []
    var unpricedSteps: [[Int: Int64]] = []
    /// For each group and interval.
    var sums: [[Int: [RollForwardColumn: Int64]]] = []
    /// Whether any sum exceeded `largestAmount`; the rows are then invalid.
    private var isBeyondBound = false

    /// Bound of a report's sums, either sign, chosen so that the sum of all columns of a row does
    /// not overflow.
    public static let largestAmount: Int64 = 1 << 57

    public init(_ question: RollForwardQuery) {
        self.question = question
    }

    // MARK: Adding

    /// Adds one chain. Order does not matter.
    public mutating func add(_ chain: ChainMetrics) {
        guard question.instants.count > 1 else { return }
        for (index, stretch) in chain.stretches.enumerated() {
            addActive(stretch)
            guard let interval = question.interval(of: stretch.from) else { continue }
            for change in chain.changes(at: index, question) where change.amount != 0 {
                addChange(change.amount, group: group(change.key), interval, change.column)
            }
        }
    }

    /// Adds the sums of another roll-forward for the same query.
    public mutating func add(_ other: RollForward) {
        for (index, key) in other.keys.enumerated() {
            let group = group(key)
            for (first, amount) in other.steps[index] { addStep(amount, group: group, first) }
            unpricedSteps[group].merge(other.unpricedSteps[index], uniquingKeysWith: +)
            for (interval, columns) in other.sums[index] {
                for (column, amount) in columns {
                    addChange(amount, group: group, interval, column)
                }
            }
        }
        isBeyondBound = isBeyondBound || other.isBeyondBound
    }

    mutating func addStep(_ amount: Int64, group: Int, _ first: Int) {
        let fits = RollForward.add(amount, to: &steps[group][first, default: 0])
        isBeyondBound = isBeyondBound || !fits
    }

    mutating func addChange(
        _ amount: Int64, group: Int, _ interval: Int, _ column: RollForwardColumn
    ) {
        let fits = RollForward.add(
            amount, to: &sums[group][interval, default: [:]][column, default: 0])
        isBeyondBound = isBeyondBound || !fits
    }

    /// Nil beyond the bound of a sum.
    mutating func product(_ amount: Int64, _ count: Int64) -> Int64? {
        let (product, isTooLarge) = amount.multipliedReportingOverflow(by: count)
        guard !isTooLarge, product.isReportable else {
            isBeyondBound = true
            return nil
        }
        return product
    }

    /// Returns false, without adding, beyond the bound of a sum.
    private static func add(_ amount: Int64, to sum: inout Int64) -> Bool {
        let (more, isTooLarge) = sum.addingReportingOverflow(amount)
        guard !isTooLarge, more.isReportable else { return false }
        sum = more
        return true
    }

    /// Whether sums overflowed, which no real currency's prices do; the rows are then invalid.
    public var isTooLarge: Bool {
        if isBeyondBound { return true }
        return steps.contains { steps in
            var active: Int64 = 0
            return steps.sorted { $0.key < $1.key }.contains { step in
                active = active.addingSaturated(step.value)
                return !active.isReportable
            }
        }
    }

    /// A stretch `[from, to)` is active just before every instant in `(from, to]`.
    private mutating func addActive(_ stretch: CountedStretch) {
        guard stretch.state.isEntitled, question.counts(stretch.values) else { return }
        let first = question.firstInstant(after: stretch.from)
        let end = stretch.to.map { question.firstInstant(after: $0) } ?? question.instants.count
        guard first < end else { return }
        let group = group(question.key(stretch.values, reason: nil))
        let amount = question.amount(stretch.annualised)
        addStep(amount, group: group, first)
        addStep(-amount, group: group, end)
        guard question.measure == .money, stretch.annualised == nil else { return }
        unpricedSteps[group][first, default: 0] += 1
        unpricedSteps[group][end, default: 0] -= 1
    }

    mutating func group(_ key: RollForwardQuery.Key) -> Int {
        if let known = groups[key] { return known }
        groups[key] = keys.count
        keys.append(key)
        steps.append([:])
        unpricedSteps.append([:])
        sums.append([:])
        return keys.count - 1
    }

    // MARK: Rows

    /// The rows by interval, then by group. Grouped, one for each group with any activity; else one
    /// for each interval, even if empty. Money is always grouped by currency.
    ///
    /// - Parameter count: at least one; later rows are left out.
    public func rows(atMost count: Int = .max) -> [RollForwardRow] {
        var rows: [RollForwardRow] = []
        forEachRow { row in
            rows.append(row)
            return rows.count < count
        }
        return rows
    }

    /// Visits the rows in their order until `visit` returns false: together they may be many times
    /// larger than the sums.
    package func forEachRow(_ visit: (RollForwardRow) -> Bool) {
        let order = keys.indices.sorted {
            RollForwardQuery.precedes(keys[$0], keys[$1])
        }
        let bases = order.map { rateGroup(of: $0) }
        var active = keys.indices.map { steps[$0][0] ?? 0 }
        var unpriced = keys.indices.map { unpricedSteps[$0][0] ?? 0 }
        let isWhole = question.dimensions.isEmpty && question.measure != .money
        for interval in question.instants.indices.dropLast() {
            let bounds = (question.instants[interval], question.instants[interval + 1])
            if isWhole, order.isEmpty {
                guard visit(RollForwardRow(from: bounds.0, to: bounds.1, group: [])) else { return }
            }
            let starts = active
            for (group, base) in zip(order, bases) {
                active[group] = active[group].addingSaturated(steps[group][interval + 1] ?? 0)
                unpriced[group] += unpricedSteps[group][interval + 1] ?? 0
                var row = RollForwardRow(from: bounds.0, to: bounds.1, group: keys[group])
                (row.activeStart, row.activeEnd) = (starts[group], active[group])
                row.rateBase = base.map { starts[$0] } ?? 0
                row.unpricedEnd = unpriced[group]
                row.columns = sums[group][interval] ?? [:]
                guard question.admits(row.group), isWhole || !row.isEmpty else { continue }
                guard visit(row) else { return }
            }
        }
    }

    /// The amount active at the start of each interval in all groups together: the denominator of
    /// churn rates, including groups without a row.
    public var activeStarts: [Int64] {
        var changes = Array(repeating: Int64(0), count: question.instants.count + 1)
        for group in steps {
            for (place, change) in group {
                changes[place] = changes[place].addingSaturated(change)
            }
        }
        var active: Int64 = 0
        return question.instants.indices.dropLast().map { interval in
            active = active.addingSaturated(changes[interval])
            return active
        }
    }

    /// The group that supplies the denominator of this group's churn rate: its own, or that of the
    /// same values without a reason.
    private func rateGroup(of group: Int) -> Int? {
        guard let place = question.reasonPlace else { return group }
        var key = keys[group]
        key[place] = nil
        return groups[key]
    }
}

extension RollForward {
    /// This minus another roll-forward of the same query: a row for each interval and group in
    /// which they differ, in any order, without a rate base. Its time depends on these rows, not on
    /// the number of intervals.
    package func difference(from other: RollForward) -> [RollForwardRow] {
        var difference = self
        for (index, key) in other.keys.enumerated() {
            let group = difference.group(key)
            difference.steps[group].merge(
                other.steps[index].mapValues { -$0 }, uniquingKeysWith: +)
            difference.unpricedSteps[group].merge(
                other.unpricedSteps[index].mapValues { -$0 }, uniquingKeysWith: +)
            for (interval, columns) in other.sums[index] {
                difference.sums[group][interval, default: [:]].merge(
                    columns.mapValues { -$0 }, uniquingKeysWith: +)
            }
        }
        return difference.keys.indices.flatMap { difference.filledRows(of: $0) }
    }

    /// The rows of a group that are not empty.
    private func filledRows(of group: Int) -> [RollForwardRow] {
        let (steps, unpricedSteps, sums) = (steps[group], unpricedSteps[group], sums[group])
        guard question.admits(keys[group]) else { return [] }
        // What changes just before an instant changes the interval that ends there.
        let ends = Set(steps.keys).union(unpricedSteps.keys).map { max(0, $0 - 1) }
        var changes = Set(ends).union(sums.keys).sorted()[...]
        var (active, unpriced) = (steps[0] ?? 0, unpricedSteps[0] ?? 0)
        var (interval, rows) = (0, [RollForwardRow]())
        while true {
            if active == 0, unpriced == 0 {
                changes = changes.drop { $0 < interval }
                guard let next = changes.first else { break }
                interval = next
            }
            guard interval < question.instants.count - 1 else { break }
            var row = RollForwardRow(
                from: question.instants[interval], to: question.instants[interval + 1],
                group: keys[group])
            row.activeStart = active
            active = active.addingSaturated(steps[interval + 1] ?? 0)
            unpriced += unpricedSteps[interval + 1] ?? 0
            (row.activeEnd, row.unpricedEnd) = (active, unpriced)
            row.columns = (sums[interval] ?? [:]).filter { $0.value != 0 }
            if !row.isEmpty { rows.append(row) }
            interval += 1
        }
        return rows
    }
}
