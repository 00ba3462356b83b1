import AppStore
import Ledger

/// Chains by holding customer, for definitions that count subscribers. A chain without a holder is
/// a subscriber of its own and is not stored here.
struct Subscribers: Sendable {
    private var chains: [Key: [Chain]] = [:]

    private struct Key: Hashable {
        var app: BundleId
        var customer: CustomerId
    }

    private struct Chain {
        var spans: [MoneySpan]
        var isAdopted: Bool
    }

    /// One customer with several chains.
    struct Group {
        let whole: SubscriberMoney
        let parts: [SubscriberMoney]
    }

    mutating func add(
        _ metrics: ChainMetrics, _ chain: ComparedChain, _ question: RollForwardQuestion,
        isAdopted: Bool
    ) {
        guard let customer = chain.customer else { return }
        let spans = MoneySpan.all(of: metrics, question)
        guard !spans.isEmpty else { return }
        chains[Key(app: chain.app, customer: customer), default: []].append(
            Chain(spans: spans, isAdopted: isAdopted))
    }

    mutating func add(_ other: Subscribers) {
        chains.merge(other.chains, uniquingKeysWith: +)
    }

    /// Customers with more than one chain, in no particular order.
    var groups: [Group] {
        chains.values.filter { $0.count > 1 }.map { chains in
            let parts = chains.map { SubscriberMoney(spans: $0.spans, isAdopted: $0.isAdopted) }
            let first = chains.min { left, right in left.spans[0].from < right.spans[0].from }
            return Group(
                whole: SubscriberMoney(
                    spans: chains.flatMap(\.spans), isAdopted: first?.isAdopted ?? false),
                parts: parts)
        }
    }
}
