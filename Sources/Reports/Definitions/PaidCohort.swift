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
        var cohorts = runs(periods, rules).compactMap { run in
            run.first.map { first in
                PaidCohort(
                    at: first.start, values: first.values, reachedCount: reached(run, rules))
            }
        }
        if rules.contains(.trialsBeginCohorts), let trial = periods.first, trial.isTrial {
            let begun = PaidCohort(
                at: trial.start, values: trial.values,
                reachedCount: cohorts.first?.reachedCount ?? 0)
            cohorts = [begun] + cohorts.dropFirst()
        }
        return cohorts
    }

    /// The payments that count. A period that does not count, such as a trial, can still end a run.
    private static func runs(
        _ periods: [PeriodReading], _ rules: Set<DefinitionRule>
    ) -> [[PeriodReading]] {
        var runs: [[PeriodReading]] = []
        var before: PeriodReading?
        var isEnded = true
        for period in periods {
            if let before, begins(period, after: before, rules) { isEnded = true }
            before = period
            guard !period.isTrial else { continue }
            if rules.contains(.introExcluded), period.values.phase != .standard { continue }
            if isEnded { runs.append([]) }
            runs[runs.count - 1].append(period)
            isEnded = false
        }
        return runs
    }

    private static func begins(
        _ period: PeriodReading, after before: PeriodReading, _ rules: Set<DefinitionRule>
    ) -> Bool {
        if rules.contains(.changesBeginCohorts), period.values.product != before.values.product {
            return true
        }
        return period.followsGap
            && !rules.isDisjoint(with: [.changesBeginCohorts, .latePaymentsAreNew])
    }

    private static func reached(_ run: [PeriodReading], _ rules: Set<DefinitionRule>) -> Int {
        guard rules.contains(.refundsEndCohorts) else { return run.count }
        return run.firstIndex(where: \.isRefunded) ?? run.count
    }
}
