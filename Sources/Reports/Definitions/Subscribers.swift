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

    // MARK: Corrections

    /// The losses, and the base of their rate, of each subscriber's chains together less those of
    /// each chain.
    static func corrections(
        _ groups: [Group], from begin: Timestamp, to end: Timestamp
    ) -> (lost: Int64, base: Int64) {
        let last = begin.advanced(byMilliseconds: -1)
        func isInside(_ time: Timestamp) -> Bool { begin <= time && time < end }
        func sums(_ subscriber: SubscriberMoney) -> (lost: Int, base: Int) {
            let turns = subscriber.turns
            return (
                turns.losses.count(where: isInside),
                turns.gains.count(where: isInside) + (subscriber.isPaid(at: last) ? 1 : 0)
            )
        }
        var (lost, base) = (0, 0)
        for group in groups {
            let (one, each) = (sums(group.whole), group.parts.map(sums))
            lost += one.lost - each.reduce(0) { $0 + $1.lost }
            base += one.base - each.reduce(0) { $0 + $1.base }
        }
        return (Int64(lost), Int64(base))
    }

    /// The number of paid chains beyond the first of each subscriber.
    static func doubled(_ groups: [Group], justBefore end: Timestamp) -> Int64 {
        let last = end.advanced(byMilliseconds: -1)
        return groups.reduce(0) { sum, group in
            sum + Int64(max(0, group.parts.count { $0.isPaid(at: last) } - 1))
        }
    }
}
