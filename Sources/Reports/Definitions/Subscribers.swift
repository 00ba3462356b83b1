import AppStore
import Ledger

/// Chains by holding customer, for definitions that count subscribers. A chain without a holder is
/// a subscriber of its own and is not stored here.
struct Subscribers: Sendable {
    private var chains: [Key: [SubscriberMoney]] = [:]

    private struct Key: Hashable {
        var app: BundleId
        var customer: CustomerId
    }

    /// One customer with several chains.
    struct Group {
        let whole: SubscriberMoney
        let parts: [SubscriberMoney]
    }

    mutating func add(
        _ metrics: ChainMetrics, _ app: BundleId, _ customer: CustomerId?,
        _ question: RollForwardQuery, isAdopted: Bool
    ) {
        guard let customer else { return }
        let spans = MoneySpan.all(of: metrics, question)
        guard !spans.isEmpty else { return }
        chains[Key(app: app, customer: customer), default: []].append(
            SubscriberMoney(spans: spans, isAdopted: isAdopted))
    }

    mutating func add(_ other: Subscribers) {
        chains.merge(other.chains, uniquingKeysWith: +)
    }

    /// Customers with more than one chain, in no particular order.
    var groups: [Group] {
        chains.values.filter { $0.count > 1 }.map { parts in
            let first = parts.min { left, right in left.spans[0].from < right.spans[0].from }
            return Group(
                whole: SubscriberMoney(
                    spans: parts.flatMap(\.spans), isAdopted: first?.isAdopted ?? false),
                parts: parts)
        }
    }
}

/// The turns of subscribers with several chains.
struct SubscriberTurns {
    /// Of each subscriber's chains together.
    private let together: PaidTurns
    /// Of each chain.
    private let apart: PaidTurns

    /// Throws `stopped`.
    init(_ groups: [Subscribers.Group]) throws(MetricsError) {
        together = try PaidTurns(groups.lazy.map { $0.whole })
        apart = try PaidTurns(groups.lazy.flatMap { $0.parts })
    }

    /// The losses, and the base of their rate, of each subscriber's chains together less those of
    /// each chain.
    func corrections(from begin: Timestamp, to end: Timestamp) -> (lost: Int64, base: Int64) {
        (
            Int64(
                together.lostCount(from: begin, to: end) - apart.lostCount(from: begin, to: end)),
            Int64(
                together.baseCount(from: begin, to: end) - apart.baseCount(from: begin, to: end))
        )
    }

    /// The number of paid chains beyond the first of each subscriber.
    func doubled(justBefore end: Timestamp) -> Int64 {
        Int64(apart.paidCount(before: end) - together.paidCount(before: end))
    }
}
