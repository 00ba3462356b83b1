import AppStore
import Ledger

/// A customer in a retention cohort and the steps reached, under a product's rules.
struct PaidCohort {
    let at: Timestamp
    let values: DimensionValues
    /// The number of paid periods before the first that no longer counts.
    let reachedCount: Int

    static func step(_ number: Int) -> String { "step.\(number).reached" }

    var amounts: [RuledAmount] {
        [RuledAmount("cohort", at: at, values)]
            + (0..<min(reachedCount, MetricSteps.count)).map {
                RuledAmount(PaidCohort.step($0 + 1), at: at, values)
            }
    }

    /// The cohorts of one chain's periods; without rules, by our definition.
    static func all(of periods: [PeriodReading], _ rules: Set<DefinitionRule>) -> [PaidCohort] {
        var payments = periods.filter { !$0.isTrial }
        if rules.contains(.introExcluded) {
            payments.removeAll { $0.values.phase != .standard }
        }
        var cohorts = runs(payments, rules).compactMap { run in
            run.first.map { first in
                PaidCohort(
                    at: first.start, values: first.values, reachedCount: reached(run, rules))
            }
        }
        if rules.contains(.trialsBeginCohorts), let trial = periods.first, trial.isTrial,
            trial.stateBefore == nil
        {
            let begun = PaidCohort(
                at: trial.start, values: trial.values,
                reachedCount: cohorts.first?.reachedCount ?? 0)
            cohorts = [begun] + cohorts.dropFirst()
        }
        return cohorts
    }

    private static func runs(
        _ payments: [PeriodReading], _ rules: Set<DefinitionRule>
    ) -> [[PeriodReading]] {
        var runs: [[PeriodReading]] = []
        for payment in payments {
            guard let last = runs.last?.last else {
                runs.append([payment])
                continue
            }
            let isNew =
                rules.contains(.changesBeginCohorts)
                && (payment.followsGap || payment.values.product != last.values.product)
                || rules.contains(.latePaymentsAreNew) && payment.followsGap
            if isNew { runs.append([payment]) } else { runs[runs.count - 1].append(payment) }
        }
        return runs
    }

    private static func reached(_ run: [PeriodReading], _ rules: Set<DefinitionRule>) -> Int {
        guard rules.contains(.refundsEndCohorts) else { return run.count }
        return run.firstIndex(where: \.isRefunded) ?? run.count
    }
}
