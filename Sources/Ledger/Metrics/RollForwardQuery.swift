public import AppStore

/// The query of a roll-forward: measure, instants, grouping and filters.
public struct RollForwardQuery: Hashable, Sendable {
    /// The quantity counted.
    public enum Measure: String, Sendable, CaseIterable {
        /// Active chains.
        case chains
        /// Active chains whose period is not a trial.
        case paidChains
        /// A year of the price of paid chains, in milliunits; always separated by currency.
        case money
    }

    public let measure: Measure
    /// Ascending; the rows are the intervals between neighbours.
    public let instants: [Timestamp]
    /// In the order of the groups' values.
    public let dimensions: [Dimension]
    /// A chain counts while its value is one of those listed; nil means not stated.
    public let filters: [Dimension: Set<String?>]

    /// A filter on the reason also groups by it: only churned chains have one.
    ///
    /// - `instants`: sorted here, without duplicates.
    public init(
        _ measure: Measure, instants: [Timestamp], dimensions: [Dimension] = [],
        filters: [Dimension: Set<String?>] = [:]
    ) {
        self.measure = measure
        self.instants = Set(instants).sorted()
        // Money is separated by currency anyway.
        let named = dimensions.filter { measure != .money || $0 != .currency }
        let isByReason = named.contains(.reason) || filters[.reason] == nil
        self.dimensions = isByReason ? named : named + [.reason]
        self.filters = filters
        conditions = Dimension.allCases.compactMap { dimension in
            guard dimension != .reason, let values = filters[dimension] else { return nil }
            return Condition(dimension: dimension, values: values)
        }
    }

    private let conditions: [Condition]

    private struct Condition: Hashable, Sendable {
        let dimension: Dimension
        let values: Set<String?>
    }

    /// The key of a group's row: the values of the dimensions; for money, preceded by the currency.
    package typealias Key = [String?]

    /// Index of the reason in a key; nil if it has none.
    var reasonPlace: Int? {
        dimensions.firstIndex(of: .reason).map { $0 + (measure == .money ? 1 : 0) }
    }

    /// Whether a chain with access and these values is counted.
    func counts(_ values: DimensionValues) -> Bool {
        values.ownership.isOwnPurchase && (measure == .chains || values.phase != .trial)
            && matches(values)
    }

    /// Whether all filters accept it.
    package func matches(_ values: DimensionValues) -> Bool {
        conditions.allSatisfy { $0.values.contains(values[$0.dimension]) }
    }

    /// One chain, or a year of its price; 0 if the price is unknown.
    func amount(_ annualised: Int64?) -> Int64 { measure == .money ? annualised ?? 0 : 1 }

    /// - Parameter reason: why access ended, for churned chains.
    package func key(_ values: DimensionValues, reason: EndReason?) -> Key {
        var key: Key = measure == .money ? [values.currency] : []
        for dimension in dimensions {
            key.append(dimension == .reason ? reason?.rawValue : values[dimension])
        }
        return key
    }

    /// Whether the row of a key was requested.
    func admits(_ key: Key) -> Bool {
        guard let place = reasonPlace, let reasons = filters[.reason] else { return true }
        return reasons.contains(key[place])
    }

    // MARK: Intervals

    /// Index of the first instant later than `time`; the count of instants if there is none.
    package func firstInstant(after time: Timestamp) -> Int {
        instants.indices.partitioningIndex { instants[$0] > time }
    }

    /// Index of the interval that contains `time`.
    package func interval(of time: Timestamp) -> Int? {
        let next = firstInstant(after: time)
        return next == 0 || next == instants.count ? nil : next - 1
    }

    // MARK: Cells

    /// The place of a row: an interval and a group.
    package struct Cell: Hashable, Sendable {
        package var interval: Int
        package var key: Key

        package init(interval: Int, key: Key) {
            self.interval = interval
            self.key = key
        }
    }

    /// The cell of something that happens at a moment; nil outside the intervals, and where a
    /// filter excludes it.
    package func cell(of time: Timestamp, _ values: DimensionValues) -> Cell? {
        guard let interval = interval(of: time), matches(values) else { return nil }
        return Cell(interval: interval, key: key(values, reason: nil))
    }

    /// Different cells in the order of rows.
    ///
    /// - Parameter isWhole: an interval without a cell has one without a group.
    package func ordered(_ cells: some Sequence<Cell>, isWhole: Bool) -> [Cell] {
        let found = Dictionary(grouping: cells, by: \.interval)
        let intervals = isWhole ? Array(instants.indices.dropLast()) : found.keys.sorted()
        return intervals.flatMap { interval in
            let keys = (found[interval] ?? []).map(\.key).sorted(by: RollForwardQuery.precedes)
            return (keys.isEmpty ? [[]] : keys).map { Cell(interval: interval, key: $0) }
        }
    }

    /// Order of rows: nil first, then by bytes, value by value.
    package static func precedes(_ left: Key, _ right: Key) -> Bool {
        for (one, two) in zip(left, right) where one != two {
            guard let one else { return true }
            guard let two else { return false }
            return one.utf8.lexicographicallyPrecedes(two.utf8)
        }
        return false
    }
}
