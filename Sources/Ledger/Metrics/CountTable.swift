public import AppStore

/// Sums occurrences into rows by interval and group.
public struct CountTable: Sendable {
    public let metric: CountedMetric
    /// The instants, dimensions and filters; a monetary metric puts the currency first.
    public let question: RollForwardQuery
    /// The most cells kept. Of more, the order in which they are added decides which.
    package var keptCount = Int.max
    private var sums: [RollForwardQuery.Cell: [String: Int64]] = [:]

    /// - `dimensions`: `reason` is not meaningful here and always nil.
    public init(
        _ metric: CountedMetric, instants: [Timestamp], dimensions: [Dimension] = [],
        filters: [Dimension: Set<String?>] = [:]
    ) {
        self.metric = metric
        question = RollForwardQuery(
            metric.isMoney ? .money : .chains, instants: instants, dimensions: dimensions,
            filters: filters)
    }

    /// Adds one chain's contribution. Order does not matter below `keptCount`.
    public mutating func add(_ occurrences: [Occurrence]) {
        for occurrence in occurrences {
            guard let cell = question.cell(of: occurrence.at, occurrence.values), keeps(cell)
            else { continue }
            sums[cell, default: [:]].merge(occurrence.amounts) { $0.addingSaturated($1) }
        }
    }

    /// Adds the sums of another table for the same query.
    public mutating func add(_ other: CountTable) {
        for (cell, amounts) in other.sums where keeps(cell) {
            sums[cell] = sums[cell]?.merging(amounts) { $0.addingSaturated($1) } ?? amounts
        }
    }

    private func keeps(_ cell: RollForwardQuery.Cell) -> Bool {
        sums.count < keptCount || sums[cell] != nil
    }

    /// Whether sums overflowed, which no real currency's prices do; the rows are then meaningless.
    /// Amounts are never negative, so an overflowed sum stays overflowed.
    public var isTooLarge: Bool {
        sums.values.contains { amounts in amounts.values.contains { !$0.isReportable } }
    }

    /// One interval `[from, to)`, whole or of one group.
    public struct Row: Hashable, Sendable {
        public var from: Timestamp
        public var to: Timestamp
        /// As in a roll-forward's row.
        public var group: [String?]
        /// Absent columns are 0.
        public var amounts: [String: Int64]

        public subscript(column: String) -> Int64 { amounts[column] ?? 0 }
    }

    /// The rows by interval, then by group; without groups one for each interval, even if empty.
    public func rows() -> [Row] {
        let isWhole = question.dimensions.isEmpty && !metric.isMoney
        return question.ordered(sums.keys, isWhole: isWhole).map { row($0, sums[$0] ?? [:]) }
    }

    /// This minus another table of the same query: a row for each cell in which they differ, in any
    /// order.
    package func difference(from other: CountTable) -> [Row] {
        Set(sums.keys).union(other.sums.keys).compactMap { cell in
            let (own, others) = (sums[cell] ?? [:], other.sums[cell] ?? [:])
            guard own != others else { return nil }
            return row(cell, own.merging(others.mapValues { -$0 }, uniquingKeysWith: +))
        }
    }

    private func row(_ cell: RollForwardQuery.Cell, _ amounts: [String: Int64]) -> Row {
        Row(
            from: question.instants[cell.interval], to: question.instants[cell.interval + 1],
            group: cell.key, amounts: amounts)
    }
}
