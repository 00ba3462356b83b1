import AppStore
import Ledger
internal import Projection

/// Converts the contributions of chains to one question, and collects why amounts cannot be
/// converted. An amount with a moment of its own is converted at the rates of its day in the
/// report's zone.
struct RateConversion: Sendable {
    /// Nil: nothing is converted.
    let rates: CurrencyRates?
    /// Nil: every contribution is in the answer.
    let question: RollForwardQuery?
    /// Its days have the rates.
    let zone: ReportZone

    func converted(
        _ found: [Occurrence], _ metric: CountedMetric, _ gaps: inout Set<CurrencyRates.Gap>
    ) -> [Occurrence] {
        guard let rates, metric.isMoney else { return found }
        let money = metric.columns.filter { $0.unit == .milliunits }.map(\.name)
        return found.map { occurrence in
            let currency = occurrence.values.currency
            let day = rates.dated.isEmpty ? nil : zone.day(of: occurrence.at)
            let table = day.map { rates.on($0, from: currency) } ?? rates
            if isSelected(occurrence) {
                for name in money {
                    guard let gap = table.gap(occurrence.amounts[name] ?? 0, in: currency) else {
                        continue
                    }
                    gaps.insert(RateConversion.dated(gap, rates, on: day))
                }
            }
            return occurrence.converted(by: table, metric)
        }
    }

    /// The gap, with the day where the currency has dated rates.
    private static func dated(
        _ gap: CurrencyRates.Gap, _ rates: CurrencyRates, on day: CivilDate?
    ) -> CurrencyRates.Gap {
        guard case .missing(let currency) = gap, let day, rates.dated[currency] != nil else {
            return gap
        }
        return .missingOn(currency, day)
    }

    private func isSelected(_ occurrence: Occurrence) -> Bool {
        guard let question else { return true }
        return question.interval(of: occurrence.at) != nil && question.matches(occurrence.values)
    }

    /// Converts recurring money, whose rates are those of one day (`CurrencyRates.used`).
    func converted(
        _ metrics: ChainMetrics, _ gaps: inout Set<CurrencyRates.Gap>
    ) -> ChainMetrics {
        guard let rates else { return metrics }
        for stretch in metrics.stretches where stretch.isPaid && isSelected(stretch) {
            let gap = rates.gap(stretch.annualised ?? 0, in: stretch.values.currency)
            if let gap { gaps.insert(gap) }
        }
        return metrics.converted(by: rates)
    }

    private func isSelected(_ stretch: CountedStretch) -> Bool {
        guard let question, let first = question.instants.first, let last = question.instants.last
        else { return true }
        let isInside = stretch.from < last && (stretch.to.map { $0 >= first } ?? true)
        return isInside && question.matches(stretch.values)
    }
}

extension CurrencyRates {
    /// The part of the table that converts a report (`Metrics.md`, Money): of recurring money one
    /// rate of each currency, that of the report's last day; otherwise those of its days.
    func used(by metric: MetricName, _ scope: MetricScope, limit: Timestamp) -> CurrencyRates {
        guard let first = scope.instants.first, let last = scope.instants.last else { return self }
        let day = scope.zone.day(of: last.advanced(byMilliseconds: -1))
        return switch metric {
        case .mrr, .mrrMovement, .arr: on(day)
        // The first purchase of a customer decides the row, so every payment is converted.
        case .ltv: within(from: nil, through: scope.zone.day(of: limit))
        case .churn, .counted, .lateness: within(from: scope.zone.day(of: first), through: day)
        }
    }
}
