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

    /// The tables in which these rows differ from `other`, by name.
    public func differences(from other: ChainRows) -> [String] {
        var names = zip(subscription.values, other.subscription.values)
            .filter { $0.0.value != $0.1.value }.map { "subscriptions.\($0.0.name)" }
        if intervals != other.intervals { names.append("intervals") }
        if transitions != other.transitions { names.append("transitions") }
        if lifeFacts != other.lifeFacts { names.append("life_facts") }
        if notices != other.notices { names.append("notices") }
        if transactions != other.transactions { names.append("transactions") }
        return names
    }
}
