import AppStore
import Ledger

/// A stretch of a chain's life in terms of subscribers and their money: paid, past due or in a
/// trial.
struct MoneySpan: Hashable, Sendable {
    let from: Timestamp
    /// Nil while it is open.
    private(set) var to: Timestamp?
    let isTrial: Bool
    let currency: String?
    /// Milliunits per year; nil when unknown.
    let year: Int64?

    /// The counted spans of a chain; merges equal neighbours.
    static func all(of chain: ChainMetrics, _ question: RollForwardQuery) -> [MoneySpan] {
        var spans: [MoneySpan] = []
        for stretch in chain.stretches where stretch.isActive && question.matches(stretch.values) {
            let next = MoneySpan(
                from: stretch.from, to: stretch.to, isTrial: stretch.isTrial,
                currency: stretch.values.currency, year: stretch.annualised)
            guard let last = spans.last, last.to == next.from, last.isTrial == next.isTrial,
                last.currency == next.currency, last.year == next.year
            else {
                spans.append(next)
                continue
            }
            spans[spans.count - 1].to = next.to
        }
        return spans
    }
}

/// The chains of one subscriber, evaluated together.
struct SubscriberMoney {
    let spans: [MoneySpan]
    /// Whether the beginning of the first one is unknown.
    let isAdopted: Bool

    static let figures = [
        "new", "reactivated", "expansion", "contraction", "churned", "churnedRevenue",
    ]

    struct Change: Hashable {
        var at: Timestamp
        var currency: String?
        var figure: String
        var amount: Int64

        var negated: Change {
            Change(at: at, currency: currency, figure: figure, amount: -amount)
        }
    }

    /// The beginning or the end of a span.
    private struct Edge {
        let at: Timestamp
        let span: MoneySpan
        /// 1 where the span begins, -1 where it ends.
        let step: Int
    }

    /// Passes the edges of each moment, in order of time: the state is kept from moment to moment,
    /// since a customer may have thousands of chains.
    private func forEachMoment(_ body: (Timestamp, ArraySlice<Edge>) -> Void) {
        var edges: [Edge] = []
        for span in spans {
            if let to = span.to {
                // An empty span changes nothing.
                guard span.from < to else { continue }
                edges.append(Edge(at: to, span: span, step: -1))
            }
            edges.append(Edge(at: span.from, span: span, step: 1))
        }
        edges.sort { $0.at < $1.at }
        var rest = edges[...]
        while let moment = rest.first?.at {
            let next = rest.firstIndex { $0.at != moment } ?? rest.endIndex
            body(moment, rest[..<next])
            rest = rest[next...]
        }
    }

    /// Adds when payment began and ended.
    func addTurns(to turns: inout PaidTurns) {
        var count = 0
        forEachMoment { moment, edges in
            let wasPaid = count > 0
            for edge in edges where !edge.span.isTrial { count += edge.step }
            let isPaid = count > 0
            if wasPaid, !isPaid { turns.losses.append(moment) }
            if !wasPaid, isPaid { turns.gains.append(moment) }
        }
    }

    /// Every change of the annual amount, separately by currency.
    var changes: [Change] {
        var changes: [Change] = []
        // By currency, without sums of 0. Int128, since a saturated sum would not return to 0 when
        // its amounts are subtracted again.
        var sums: [String?: Int128] = [:]
        var everPaid = isAdopted ? nil : false as Bool?
        forEachMoment { moment, edges in
            let wasPaid = !sums.isEmpty
            let steps = SubscriberMoney.steps(edges, &sums)
            let left = steps.contains { $0.old != 0 && $0.new == 0 }
            let entered = steps.contains { $0.old == 0 && $0.new != 0 }
            for (currency, old, new) in steps {
                // A change of currency is no movement of either amount.
                if left, entered, old == 0 || new == 0 { continue }
                guard
                    let figure = SubscriberMoney.figure(
                        old, new, isBefore: wasPaid, isAfter: !sums.isEmpty, everPaid)
                else { continue }
                func add(_ figure: String) {
                    changes.append(
                        Change(
                            at: moment, currency: currency, figure: figure, amount: abs(new - old)))
                }
                add(figure)
                if figure == "contraction" || figure == "churned" { add("churnedRevenue") }
            }
            if !sums.isEmpty { everPaid = true }
        }
        return changes
    }

    /// Adds the edges of one moment to the sums; returns the amount before and after it in each of
    /// their currencies.
    private static func steps(
        _ edges: ArraySlice<Edge>, _ sums: inout [String?: Int128]
    ) -> [(currency: String?, old: Int64, new: Int64)] {
        var moved: [String?: Int128] = [:]
        for edge in edges where !edge.span.isTrial {
            guard let year = edge.span.year, year > 0 else { continue }
            moved[edge.span.currency, default: 0] += Int128(year) * Int128(edge.step)
        }
        return moved.map { currency, amount in
            let old = sums[currency] ?? 0
            let new = old + amount
            sums[currency] = new == 0 ? nil : new
            return (currency, Int64(clamping: old), Int64(clamping: new))
        }
    }

    /// - Parameter everPaid: nil: unknown, so neither new nor a return.
    private static func figure(
        _ old: Int64, _ new: Int64, isBefore: Bool, isAfter: Bool, _ everPaid: Bool?
    ) -> String? {
        if old == new { return nil }
        if new > old {
            if isBefore { return "expansion" }
            return everPaid.map { $0 ? "reactivated" : "new" }
        }
        return isAfter ? "contraction" : "churned"
    }
}

/// When subscribers began and ceased to pay, each in order of time.
struct PaidTurns {
    /// Payment stopped.
    fileprivate(set) var losses: [Timestamp] = []
    /// Payment began after none.
    fileprivate(set) var gains: [Timestamp] = []

    /// The turns of several subscribers. Throws `stopped`.
    init(_ subscribers: some Sequence<SubscriberMoney>) throws(MetricsError) {
        for subscriber in subscribers {
            guard !Task.isCancelled else { throw .stopped }
            subscriber.addTurns(to: &self)
        }
        losses.sort()
        gains.sort()
    }

    /// The number of subscribers that paid just before `time`.
    func paidCount(before time: Timestamp) -> Int {
        PaidTurns.count(gains, before: time) - PaidTurns.count(losses, before: time)
    }

    /// The number of losses from `begin` until before `end`.
    func lostCount(from begin: Timestamp, to end: Timestamp) -> Int {
        PaidTurns.count(losses, before: end) - PaidTurns.count(losses, before: begin)
    }

    /// The number that paid just before `begin`, and of payments that began until before `end`.
    func baseCount(from begin: Timestamp, to end: Timestamp) -> Int {
        PaidTurns.count(gains, before: end) - PaidTurns.count(losses, before: begin)
    }

    private static func count(_ times: [Timestamp], before time: Timestamp) -> Int {
        times.indices.partitioningIndex { times[$0] >= time }
    }
}
