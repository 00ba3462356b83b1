import AppStore
import Ledger

/// A stretch of a chain's life in terms of subscribers and their money: paid, past due or in a
/// trial.
struct MoneySpan: Hashable, Sendable {
    let from: Timestamp
    /// Nil while it is open.
    let to: Timestamp?
    let isTrial: Bool
    let currency: String?
    /// Milliunits per year; nil when unknown.
    let year: Int64?

    func contains(_ time: Timestamp) -> Bool { from <= time && (to.map { time < $0 } ?? true) }

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
            spans[spans.count - 1] = MoneySpan(
                from: last.from, to: next.to, isTrial: next.isTrial, currency: next.currency,
                year: next.year)
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
    }

    private var moments: [Timestamp] {
        Set(spans.flatMap { [$0.from, $0.to].compactMap(\.self) }).sorted()
    }

    func isPaid(at time: Timestamp) -> Bool {
        spans.contains { !$0.isTrial && $0.contains(time) }
    }

    /// Losses: when payment stopped and no trial was running. Gains: when payment began after none.
    var turns: (losses: [Timestamp], gains: [Timestamp]) {
        var (losses, gains): ([Timestamp], [Timestamp]) = ([], [])
        var wasPaid = false
        for moment in moments {
            let now = spans.filter { $0.contains(moment) }
            let isPaid = now.contains { !$0.isTrial }
            if wasPaid, now.isEmpty { losses.append(moment) }
            if !wasPaid, isPaid { gains.append(moment) }
            wasPaid = isPaid
        }
        return (losses, gains)
    }

    /// Every change of the annual amount, separately by currency.
    var changes: [Change] {
        var changes: [Change] = []
        var before: [String?: Int64] = [:]
        var everPaid = isAdopted ? nil : false as Bool?
        for moment in moments {
            let after = money(at: moment)
            let currencies = Set(before.keys).union(after.keys)
            let left = currencies.contains { before[$0] != nil && after[$0] == nil }
            let entered = currencies.contains { before[$0] == nil && after[$0] != nil }
            for currency in currencies {
                let (old, new) = (before[currency] ?? 0, after[currency] ?? 0)
                // A change of currency is no movement of either amount.
                if left, entered, old == 0 || new == 0 { continue }
                guard
                    let figure = SubscriberMoney.figure(
                        old, new, isBefore: !before.isEmpty, isAfter: !after.isEmpty, everPaid)
                else { continue }
                func add(_ figure: String) {
                    changes.append(
                        Change(
                            at: moment, currency: currency, figure: figure, amount: abs(new - old)))
                }
                add(figure)
                if figure == "contraction" || figure == "churned" { add("churnedRevenue") }
            }
            if !after.isEmpty { everPaid = true }
            before = after
        }
        return changes
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

    /// Amounts other than 0, by currency.
    private func money(at time: Timestamp) -> [String?: Int64] {
        var sums: [String?: Int64] = [:]
        for span in spans where !span.isTrial && span.contains(time) {
            guard let year = span.year, year > 0 else { continue }
            sums[span.currency] = (sums[span.currency] ?? 0).addingSaturated(year)
        }
        return sums
    }
}
