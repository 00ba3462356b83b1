public import AppStore
public import Ledger

/// Everything the projections hold of one chain: a pure function of its facts and the catalogue.
public struct ChainRows: Hashable, Sendable {
    public let chain: ChainId
    let subscription: SubscriptionRow
    let intervals: [IntervalRow]
    let transitions: [TransitionRow]
    let lifeFacts: [LifeFactRow]
    let notices: [NoticeRow]
    /// Every transactionId of the chain, with the first position that stated it.
    let transactions: [TransactionRow]

    struct TransactionRow: Hashable, Sendable {
        let transactionId: String
        let firstPosition: Int64
    }

    init(
        chain: ChainId, subscription: SubscriptionRow, intervals: [IntervalRow],
        transitions: [TransitionRow], lifeFacts: [LifeFactRow], notices: [NoticeRow],
        transactions: [TransactionRow]
    ) {
        self.chain = chain
        self.subscription = subscription
        self.intervals = intervals
        self.transitions = transitions
        self.lifeFacts = lifeFacts
        self.notices = notices
        self.transactions = transactions
    }

    public init(
        _ chain: ChainId, facts: [Fact], environment: Environment, catalogue: Catalogue
    ) {
        let life = Lifecycle(facts, environment: environment, catalogue: catalogue)
        self.chain = chain
        subscription = SubscriptionRow(life, facts: facts)
        intervals = life.intervals.map { IntervalRow($0) }
        transitions = life.transitions.map { TransitionRow($0) }
        lifeFacts = life.lifeFacts.map { LifeFactRow($0) }
        notices = life.notices.map { NoticeRow($0) }
        var first: [(id: String, position: Int64)] = []
        for fact in facts {
            guard let id = fact.transaction?.transactionId.rawValue else { continue }
            if let index = first.firstIndex(where: { $0.id == id }) {
                first[index].position = min(first[index].position, fact.position)
            } else {
                first.append((id, fact.position))
            }
        }
        transactions = first.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
            .map { TransactionRow(transactionId: $0.id, firstPosition: $0.position) }
    }

    /// Where these rows differ from `other`: columns as `table.column`, and the name of a table
    /// alone when it holds more rows, or fewer.
    public func differences(from other: ChainRows) -> [String] {
        var names = zip(subscription.values, other.subscription.values)
            .filter { $0.0.value != $0.1.value }.map { "subscriptions.\($0.0.name)" }
        names += ChainRows.differences(intervals, other.intervals)
        names += ChainRows.differences(transitions, other.transitions)
        names += ChainRows.differences(lifeFacts, other.lifeFacts)
        names += ChainRows.differences(notices, other.notices)
        if transactions != other.transactions { names.append("transactions") }
        return names
    }

    private static func differences<Row: ProjectionRow>(_ left: [Row], _ right: [Row]) -> [String] {
        guard left != right else { return [] }
        var columns = Array(repeating: false, count: Row.columns.count)
        for (one, two) in zip(left, right) where one != two {
            // A row declares its properties in the order of its columns.
            let values = zip(Mirror(reflecting: one).children, Mirror(reflecting: two).children)
            for (index, pair) in values.enumerated()
            where String(describing: pair.0.value) != String(describing: pair.1.value) {
                columns[index] = true
            }
        }
        return (left.count == right.count ? [] : [Row.table])
            + zip(Row.columns, columns).filter(\.1).map { "\(Row.table).\($0.0)" }
    }
}
