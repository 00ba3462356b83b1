import AppStore
import Ledger

/// The recurring money of one chain, in annualised milliunits, under no rule of another product,
/// under the first, under the first two, and so on.
struct RuledMoney {
    let question: RollForwardQuery
    let rules: [DefinitionRule]

    typealias Stage = RuledSums.Stage

    /// Stages, or nil beyond what a report can hold.
    typealias Stages = [Stage]?

    // MARK: At the ends of intervals

    /// - Parameter periods: of the chain; only needed under `refundedRemoved`.
    func standing(
        _ metrics: ChainMetrics, _ periods: [PeriodReading], _ figure: String
    ) -> Stages {
        let removedUntil = RuledMoney.removedUntil(periods)
        var stages = Array(repeating: Stage(), count: rules.count + 1)
        for stretch in metrics.stretches {
            guard stretch.isCounted, stretch.values.phase != .trial, let year = stretch.annualised,
                question.matches(stretch.values)
            else { continue }
            let isPastDue = stretch.state == .billingRetry && rules.contains(.pastDueIncluded)
            guard stretch.isPaid || isPastDue else { continue }
            let isRemoved = removedUntil.map { stretch.from < $0 } ?? false
            var amounts = [stretch.isPaid ? year : 0]
            for rule in rules {
                let standing = amounts[amounts.count - 1]
                amounts.append(amount(rule, standing, stretch, isRemoved: isRemoved))
            }
            for (index, instant) in question.instants.enumerated().dropFirst()
            where stretch.from < instant && (stretch.to.map { instant <= $0 } ?? true) {
                let cell = RuledSums.Cell(
                    interval: index - 1, currency: stretch.values.currency, figure: figure)
                for (stage, amount) in amounts.enumerated() { stages[stage][cell] = amount }
            }
        }
        return stages
    }

    /// The amount after a rule, given the amount after the rules before it.
    private func amount(
        _ rule: DefinitionRule, _ standing: Int64, _ stretch: CountedStretch, isRemoved: Bool
    ) -> Int64 {
        switch rule {
        case .fourWeeksAMonth: RuledMoney.fourWeeks(standing, stretch.period?.length)
        case .weekOf023Months: RuledMoney.weeks(standing, stretch.period?.length)
        case .refundedRemoved: isRemoved ? 0 : standing
        case .pastDueIncluded:
            stretch.state == .billingRetry ? stretch.annualised ?? 0 : standing
        default: standing
        }
    }

    /// Our year has 365 days or 52 weeks; theirs 360 days, 48 weeks or 12 × 28 days.
    fileprivate static func fourWeeks(_ year: Int64, _ length: ISO8601Period?) -> Int64 {
        guard let length, length.months == 0, length.days > 0 else { return year }
        if length.days % 7 == 0 {
            guard [7, 14, 28].contains(length.days) else {
                return HalfEven.quotient(year * 12 * 28, 52 * 7)
            }
            return HalfEven.quotient(year * 48, 52)
        }
        let days: Int64 = length.days == 1 || length.days == 3 ? 360 : 336
        return HalfEven.quotient(year * days, 365)
    }

    /// 12 months of 1 / 0.23 weeks.
    private static func weeks(_ year: Int64, _ length: ISO8601Period?) -> Int64 {
        guard let length, length.months == 0, length.days > 0, length.days % 7 == 0 else {
            return year
        }
        return HalfEven.quotient(year * 1200, 23 * 52)
    }

    /// When a period after the last refunded one begins to govern; nil if none is refunded.
    private static func removedUntil(_ periods: [PeriodReading]) -> Timestamp? {
        guard let last = periods.lastIndex(where: \.isRefunded) else { return nil }
        return periods[(last + 1)...].map(\.start).min() ?? Timestamp(milliseconds: .max)
    }

    // MARK: Movements

    /// For products with the figures `new`, and `churned` as ends less renewals.
    func renewal(_ metrics: ChainMetrics, isAdopted: Bool) -> Stages {
        guard metrics.stretches.contains(where: \.isPaid) else { return [] }
        let priced = metrics.byFourWeeks
        guard let ours = rows(metrics), let theirs = rows(priced) else { return nil }
        func columns(_ row: RollForwardRow) -> [String: Int64] {
            ["new": row[.gained(.new)], "churned": row.churned]
        }
        let entries = priced.paidEntries
        // Where the beginning is unknown, a first known payment is neither new nor a return.
        let first: [CountedStretch] = isAdopted ? [] : entries.first.map { [$0] } ?? []
        let (new, renewed) = (entered(first, "new"), entered(first, "churned"))
        let returned = entered(entries.returns, "churned")
        let lost = changes(theirs) { ["churned": $0.churned] }
        // What every column but `appeared` takes from the amount.
        let less = changes(theirs) {
            ["churned": $0.activeStart + $0[.gained(.appeared)] - $0.activeEnd]
        }
        return [
            stage(changes(ours, columns)), stage(changes(theirs, columns)), stage(new + lost),
            stage(new + lost + returned.map(\.negated)), stage(new + less + renewed),
        ]
    }

    /// For products that classify every change by the money before and after it.
    func subscriber(_ metrics: ChainMetrics, _ theirs: ChainMetrics, isAdopted: Bool) -> Stages {
        guard theirs.stretches.contains(where: \.isPaid) else { return [] }
        guard let before = rows(metrics), let after = rows(theirs) else { return nil }
        func columns(_ row: RollForwardRow) -> [String: Int64] {
            [
                "new": row[.gained(.new)], "reactivated": row[.gained(.reactivated)],
                "expansion": row[.expansion], "contraction": row[.contraction],
                "churned": row.churned, "churnedRevenue": row.churned,
            ]
        }
        let alone = SubscriberMoney(
            spans: MoneySpan.all(of: theirs, question), isAdopted: isAdopted)
        return [
            stage(changes(before, columns)), stage(changes(after, columns)), stage(alone.changes),
        ]
    }

    private func rows(_ metrics: ChainMetrics) -> [RollForwardRow]? {
        var sum = RollForward(question)
        sum.add(metrics)
        return sum.isTooLarge ? nil : sum.rows()
    }

    private func changes(
        _ rows: [RollForwardRow], _ amounts: (RollForwardRow) -> [String: Int64]
    ) -> [SubscriberMoney.Change] {
        rows.flatMap { row in
            amounts(row).map { figure, amount in
                SubscriberMoney.Change(
                    at: row.from, currency: row.group.first ?? nil, figure: figure, amount: amount)
            }
        }
    }

    /// The amounts of stretches at their beginning.
    private func entered(
        _ stretches: [CountedStretch], _ figure: String
    ) -> [SubscriberMoney.Change] {
        stretches.filter { question.matches($0.values) }.map { stretch in
            SubscriberMoney.Change(
                at: stretch.from, currency: stretch.values.currency, figure: figure,
                amount: stretch.annualised ?? 0)
        }
    }

    func stage(_ changes: [SubscriberMoney.Change]) -> Stage {
        var stage: Stage = [:]
        for change in changes where change.amount != 0 {
            guard let interval = question.interval(of: change.at) else { continue }
            let cell = RuledSums.Cell(
                interval: interval, currency: change.currency, figure: change.figure)
            stage[cell] = (stage[cell] ?? 0).addingSaturated(change.amount)
        }
        return stage
    }
}

extension ChainMetrics {
    /// The same metrics where a subscriber is lost only after billing retry ends.
    var withPastDue: ChainMetrics {
        mapped { if $0.state == .billingRetry { $0.state = .grace } }
    }

    /// The stretches that begin paid time: the first of all, and each after paid access was lost.
    var paidEntries: (first: CountedStretch?, returns: [CountedStretch]) {
        var (first, returns) = (nil as CountedStretch?, [] as [CountedStretch])
        var (wasPaid, isLost) = (false, false)
        for stretch in stretches {
            if stretch.isPaid {
                if first == nil { first = stretch }
                if isLost { returns.append(stretch) }
                isLost = false
            } else if wasPaid, !stretch.state.isEntitled {
                isLost = true
            }
            wasPaid = stretch.isPaid
        }
        return (first, returns)
    }

    /// The same metrics with prices by four weeks a month.
    fileprivate var byFourWeeks: ChainMetrics {
        mapped { stretch in
            stretch.annualised = stretch.annualised.map {
                RuledMoney.fourWeeks($0, stretch.period?.length)
            }
        }
    }

    private func mapped(_ change: (inout CountedStretch) -> Void) -> ChainMetrics {
        var changed = self
        for index in changed.stretches.indices { change(&changed.stretches[index]) }
        return changed
    }
}
