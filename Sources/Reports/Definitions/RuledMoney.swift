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
    func renewal(_ metrics: ChainMetrics) -> Stages {
        guard metrics.stretches.contains(where: \.isPaid) else { return [] }
        guard let ours = rows(metrics), let theirs = rows(metrics.byFourWeeks) else { return nil }
        func new(_ row: RollForwardRow) -> Int64 { row[.gained(.new)] + row[.converted] }
        func netted(_ row: RollForwardRow) -> Int64 {
            let back: [Gain] = [.reactivated, .recovered, .reinstated]
            return row.churned - back.reduce(0) { $0 + row[.gained($1)] }
        }
        func changed(_ row: RollForwardRow) -> Int64 {
            netted(row) + row[.contraction] - row[.expansion] + row[.movedOut] - row[.movedIn]
                + row[.toFree]
        }
        return [
            stage(ours) { ["new": $0[.gained(.new)], "churned": $0.churned] },
            stage(theirs) { ["new": $0[.gained(.new)], "churned": $0.churned] },
            stage(theirs) { ["new": new($0), "churned": $0.churned] },
            stage(theirs) { ["new": new($0), "churned": netted($0)] },
            stage(theirs) { ["new": new($0), "churned": changed($0)] },
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
        return [stage(before, columns), stage(after, columns), stage(alone.changes)]
    }

    private func rows(_ metrics: ChainMetrics) -> [RollForwardRow]? {
        var sum = RollForward(question)
        sum.add(metrics)
        return sum.isTooLarge ? nil : sum.rows()
    }

    private func stage(
        _ rows: [RollForwardRow], _ amounts: (RollForwardRow) -> [String: Int64]
    ) -> Stage {
        stage(
            rows.flatMap { row in
                amounts(row).map { figure, amount in
                    SubscriberMoney.Change(
                        at: row.from, currency: row.group.first ?? nil, figure: figure,
                        amount: amount)
                }
            })
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
