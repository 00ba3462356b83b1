import AppStore
import Ledger

/// Annualised recurring money at the ends of intervals, and the differences by other rules.
struct RuledMoney: Sendable {
    var sums: RuledSums

    private var rules: [DefinitionRule] { sums.rules }

    init(
        _ rules: [DefinitionRule], _ figures: [ComparedFigure], _ question: RollForwardQuestion
    ) {
        sums = RuledSums(rules, figures, question)
    }

    mutating func add(_ life: Lifecycle, _ metrics: ChainMetrics) {
        let question = sums.question
        let removedCount = rules.contains(.refundedRemoved) ? RuledMoney.removedCount(life) : 0
        for (place, stretch) in metrics.stretches.enumerated() {
            guard stretch.isCounted, stretch.values.phase != .trial, let year = stretch.annualised,
                question.matches(stretch.values)
            else { continue }
            let isOurs = stretch.isPaid
            let isPastDue = stretch.state == .billingRetry && rules.contains(.pastDueIncluded)
            guard isOurs || isPastDue else { continue }
            for (index, instant) in question.instants.enumerated().dropFirst()
            where stretch.from < instant && (stretch.to.map { instant <= $0 } ?? true) {
                let cell = RuledSums.Cell(
                    interval: index - 1, currency: stretch.values.currency,
                    figure: sums.figures[0].name)
                var standing: Int64 = isOurs ? year : 0
                sums.add(ours: standing, in: cell)
                for rule in rules {
                    let after = amount(
                        rule, standing, stretch, isRemoved: place < removedCount)
                    guard after != standing else { continue }
                    sums.add(after - standing, by: rule, in: cell)
                    standing = after
                }
            }
        }
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

    /// The number of stretches, from a chain's first, in periods up to the last refunded one.
    private static func removedCount(_ life: Lifecycle) -> Int {
        let refunded = refunded(life)
        let last = life.intervals.lastIndex { refunded.contains($0.transactionId) }
        return last.map { $0 + 1 } ?? 0
    }

    /// Transactions with a known refund that was not reversed.
    private static func refunded(_ life: Lifecycle) -> Set<TransactionId> {
        var refunded: Set<TransactionId> = []
        for fact in life.lifeFacts {
            guard let id = fact.transactionId else { continue }
            if fact.name == .refunded { refunded.insert(id) }
            if fact.name == .refundReversed { refunded.remove(id) }
        }
        return refunded
    }
}

extension ChainMetrics {
    /// The same metrics with prices by four weeks a month.
    var byFourWeeks: ChainMetrics {
        var changed = self
        for index in stretches.indices {
            let stretch = stretches[index]
            changed.stretches[index].annualised = stretch.annualised.map {
                RuledMoney.fourWeeks($0, stretch.period?.length)
            }
        }
        return changed
    }
}
