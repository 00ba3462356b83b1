import Ledger

/// Converts the contributions of chains to one question, and collects why amounts cannot be
/// converted.
struct RateConversion: Sendable {
    private let rates: CurrencyRates?
    private let question: RollForwardQuery?

    /// - Parameters:
    ///   - rates: nil: nothing is converted.
    ///   - question: nil: every contribution is in the answer.
    init(_ rates: CurrencyRates?, _ question: RollForwardQuery?) {
        self.rates = rates
        self.question = question
    }

    func converted(
        _ found: [Occurrence], _ metric: CountedMetric, _ gaps: inout Set<CurrencyRates.Gap>
    ) -> [Occurrence] {
        guard let rates, metric.isMoney else { return found }
        let money = metric.columns.filter { $0.unit == .milliunits }.map(\.name)
        return found.map { occurrence in
            if isSelected(occurrence) {
                for name in money {
                    let gap = rates.gap(
                        occurrence.amounts[name] ?? 0, in: occurrence.values.currency)
                    if let gap { gaps.insert(gap) }
                }
            }
            return occurrence.converted(by: rates, metric)
        }
    }

    private func isSelected(_ occurrence: Occurrence) -> Bool {
        guard let question else { return true }
        return question.interval(of: occurrence.at) != nil && question.matches(occurrence.values)
    }

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
