public import AppStore
public import Ledger
internal import Queries

/// The chains that one cell of a report counts (`Contract.md`, `metrics chains`).
public struct CellChains: Sendable, JSONObjectWritable {
    public let stamp: MetricsStamp
    public let metric: MetricName
    /// The column, and the unit of the amounts.
    public let column: CountColumn
    /// The cell's interval `[from, to)`.
    public let from: Timestamp
    public let to: Timestamp
    /// The values of its row's dimensions.
    public let group: [(dimension: Dimension, value: String?)]
    /// The sum of the amounts of all chains, on this page or not: the figure of the cell.
    public let amount: Int64
    /// Chains that add to it.
    public let chainCount: Int
    /// The page, in chain order.
    public let chains: [CellChain]
    /// The last chain of the page, to request those after it; nil on the last page.
    public let next: ChainId?

    public func writeMembers(to json: inout JSONWriter) {
        stamp.write(to: &json)
        json.member("metric", metric.rawValue)
        json.member("column", column.name)
        json.member("unit", column.unit.rawValue)
        json.member("from", from)
        stamp.write(end: to, to: &json)
        json.object("group", group.isEmpty ? nil : group) { json, group in
            for entry in group { json.member(entry.dimension.rawValue, entry.value) }
        }
        json.member("amount", amount)
        json.member("chainCount", Int64(chainCount))
        json.objects("chains", chains) { $1.writeMembers(to: &$0) }
        json.member("next", next?.cursor)
    }
}

/// A chain that a cell counts.
public struct CellChain: Hashable, Sendable {
    public let chain: ChainId
    /// What it adds to the cell; never 0.
    public let amount: Int64
    /// Positions of the events that decided it, ascending; at most `MetricsLimits.eventCount`.
    public let events: [Int64]
    public let eventsOmitted: Int

    init(_ chain: ChainId, _ parts: [CellPart]) {
        self.chain = chain
        amount = parts.reduce(0) { $0.addingSaturated($1.amount) }
        let causes = Set(parts.map(\.cause)).sorted()
        events = Array(causes.prefix(MetricsLimits.eventCount))
        eventsOmitted = max(0, causes.count - MetricsLimits.eventCount)
    }

    package func writeMembers(to json: inout JSONWriter) {
        chain.writeMembers(to: &json)
        json.member("amount", amount)
        json.array("events", events)
        json.member("eventsOmitted", Int64(eventsOmitted))
    }
}

/// A page of the chains of a cell under summation, and the sum of all.
struct CellSum: Summable {
    let after: ChainId?
    let limit: Int
    private(set) var amount: Int64 = 0
    /// Chains that add to the cell.
    private(set) var chainCount = 0
    /// All chains walked over.
    var walkedCount = 0
    /// Why amounts could not be converted.
    var rateGaps: Set<CurrencyRates.Gap> = []
    /// Unsorted chains after `after`; cut to `page` now and then, which keeps the first ones.
    private var chains: [CellChain] = []

    init(after: ChainId?, limit: Int) {
        self.after = after
        self.limit = limit
    }

    /// The first chains, and one more where there are more than the limit.
    var page: [CellChain] { Array(chains.sorted { $0.chain < $1.chain }.prefix(limit + 1)) }

    mutating func add(_ found: CellChain) {
        amount = amount.addingSaturated(found.amount)
        chainCount += 1
        guard after.map({ $0 < found.chain }) ?? true else { return }
        chains.append(found)
        if chains.count > 4 * (limit + 1) { chains = page }
    }

    mutating func add(_ other: CellSum) {
        amount = amount.addingSaturated(other.amount)
        chainCount += other.chainCount
        walkedCount += other.walkedCount
        rateGaps.formUnion(other.rateGaps)
        chains += other.chains
        if chains.count > limit { chains = page }
    }
}
