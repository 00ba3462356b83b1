import AppStore
import Ledger

/// Computes one chain's contribution to the counted metrics under another product's rules.
struct CountReader {
    let life: Lifecycle
    let app: BundleId
    let catalogue: Catalogue
    /// The earlier of now and knownAt.
    let limit: Timestamp

    /// Adds our figures, and the difference by each rule.
    func add(_ metric: CountedMetric, to sums: inout RuledSums) {
        switch metric {
        case .starts: addStarts(to: &sums)
        case .trials: addTrials(to: &sums)
        case .retention: addRetention(to: &sums)
        case .reactivations: addReactivations(to: &sums)
        case .recoveries: addRecoveries(to: &sums)
        case .refunds: addRefunds(to: &sums)
        case .refundsByPurchase:
            sums.add(ours: ["refunds", "refunded"].flatMap { ours(.refundsByPurchase, $0) })
            sums.add(base: ours(.refundsByPurchase, "transactions", as: "refunds"))
        case .revenue: addRevenue(to: &sums)
        default: break
        }
    }

    /// The values of one column of our own metric.
    private func ours(
        _ metric: CountedMetric, _ column: String, as figure: String? = nil
    ) -> [RuledAmount] {
        life.occurrences(of: metric, in: app, catalogue: catalogue, limit: limit, instants: [])
            .compactMap { found in
                guard let amount = found.amounts[column], amount != 0 else { return nil }
                return RuledAmount(figure ?? column, amount, at: found.at, found.values)
            }
    }

    private var periods: [PeriodReading] {
        life.periodReadings(in: app, catalogue: catalogue, limit: limit)
    }

    // MARK: Beginnings

    private func addStarts(to sums: inout RuledSums) {
        let figure = "paidStarts"
        let started = ours(.starts, figure)
        sums.add(ours: started)
        let periods = periods
        if !life.isAdopted, started.isEmpty,
            let first = periods.first(where: { !$0.isTrial && $0.purchase < limit })
        {
            sums.add(
                by: .conversionsIncluded, [RuledAmount(figure, at: first.purchase, first.values)])
        }
        sums.add(
            by: .latePaymentsAreNew,
            periods.filter { !$0.isTrial && $0.followsGap }
                .map { RuledAmount(figure, at: $0.start, $0.values) })
    }

    private func addTrials(to sums: inout RuledSums) {
        let figure = "converted"
        let converted = ours(.trials, figure)
        sums.add(ours: converted)
        sums.add(base: ours(.trials, "trials", as: figure))
        let periods = periods
        var (later, refunded): ([RuledAmount], [RuledAmount]) = ([], [])
        for (index, trial) in periods.enumerated() where trial.isTrial {
            let isConverted = converted.contains { $0.at == trial.start }
            let paid = periods[(index + 1)...].first { !$0.isTrial }
            let amount = RuledAmount(figure, at: trial.start, trial.values)
            if !isConverted, paid != nil { later.append(amount) }
            if isConverted, paid?.isRefunded == true { refunded.append(amount.negated) }
        }
        sums.add(by: .laterPurchasesConvert, later)
        sums.add(by: .refundedNotConverted, refunded)
    }

    private func addRetention(to sums: inout RuledSums) {
        guard !life.isAdopted else { return }
        let (periods, rules) = (periods, sums.rules)
        sums.add(
            (0...rules.count).map { count in
                sums.byCell(
                    PaidCohort.all(of: periods, Set(rules.prefix(count))).flatMap(\.amounts))
            })
        // Every step is a share of the cohorts under all rules.
        let cohorts = PaidCohort.all(of: periods, Set(rules))
        sums.add(
            base: cohorts.flatMap { cohort in
                (1...MetricSteps.count).map {
                    RuledAmount(PaidCohort.step($0), at: cohort.at, cohort.values)
                }
            })
    }

    // MARK: Returns

    private func addReactivations(to sums: inout RuledSums) {
        let figure = "reactivated"
        let reactivated = ours(.reactivations, figure)
        sums.add(ours: reactivated)
        sums.add(
            by: .recoveriesIncluded,
            recovered.filter { $0.state == .billingRetry }
                .map { RuledAmount(figure, at: $0.at, $0.values) })
        sums.add(
            by: .autoRenewBackOn,
            ours(.autoRenew, "on", as: figure) + reactivated.map(\.negated))
    }

    private var recovered: [RecoveryReading] {
        life.recoveryReadings(in: app, catalogue: catalogue, limit: limit)
    }

    private func addRecoveries(to sums: inout RuledSums) {
        let entered = ours(.recoveries, "grace.entered")
        let paid = ["grace.recovered", "billingRetry.recovered"].flatMap { ours(.recoveries, $0) }
        sums.add(ours: entered + paid)
        sums.add(
            by: .datedByRecovery,
            paid.map(\.negated)
                + recovered.map {
                    RuledAmount("\($0.state.rawValue).recovered", at: $0.at, $0.values)
                })
    }

    // MARK: Money

    private func addRefunds(to sums: inout RuledSums) {
        let columns = ["refunds", "refunded"]
        let refunds = columns.flatMap { ours(.refunds, $0) }
        sums.add(ours: refunds)
        sums.add(
            by: .datedByPurchase,
            refunds.map(\.negated) + columns.flatMap { ours(.refundsByPurchase, $0) })
    }

    private func addRevenue(to sums: inout RuledSums) {
        let figure = "gross"
        sums.add(ours: ours(.revenue, figure))
        sums.add(
            by: .refundsSubtracted,
            ours(.revenue, "refunded", as: figure).map(\.negated)
                + ours(.revenue, "reversed", as: figure))
    }
}
