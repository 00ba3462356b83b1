import AppStore
import Ledger

/// Computes one chain's contribution to the counted metrics under another product's rules.
struct CountReader {
    let life: Lifecycle
    let app: BundleId
    let catalogue: Catalogue
    /// The earlier of now and knownAt.
    let limit: Timestamp

    func reading(_ metric: CountedMetric, _ rules: [DefinitionRule]) -> RuledReading {
        switch metric {
        case .starts: starts(rules)
        case .trials: trials(rules)
        case .retention: retention(rules)
        case .reactivations: reactivations(rules)
        case .recoveries: recoveries(rules)
        case .refunds: refunds(rules)
        case .refundsByPurchase: refundsByPurchase
        case .revenue: revenue(rules)
        default: RuledReading()
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

    private func starts(_ rules: [DefinitionRule]) -> RuledReading {
        let figure = "paidStarts"
        var reading = RuledReading(ours: ours(.starts, figure))
        let periods = periods
        if rules.contains(.conversionsIncluded), !life.isAdopted, reading.ours.isEmpty,
            let first = periods.first(where: { !$0.isTrial && $0.purchase < limit })
        {
            reading.moved[.conversionsIncluded] = [
                RuledAmount(figure, at: first.purchase, first.values)
            ]
        }
        if rules.contains(.latePaymentsAreNew) {
            reading.moved[.latePaymentsAreNew] = periods.filter { !$0.isTrial && $0.followsGap }
                .map { RuledAmount(figure, at: $0.start, $0.values) }
        }
        return reading
    }

    private func trials(_ rules: [DefinitionRule]) -> RuledReading {
        let figure = "converted"
        var reading = RuledReading(ours: ours(.trials, figure))
        reading.base = ours(.trials, "trials", as: figure)
        let periods = periods
        for (index, trial) in periods.enumerated() where trial.isTrial {
            let isConverted = reading.ours.contains { $0.at == trial.start }
            let paid = periods[(index + 1)...].first { !$0.isTrial }
            let amount = RuledAmount(figure, at: trial.start, trial.values)
            if rules.contains(.laterPurchasesConvert), !isConverted, paid != nil {
                reading.moved[.laterPurchasesConvert, default: []].append(amount)
            }
            if rules.contains(.refundedNotConverted), isConverted, paid?.isRefunded == true {
                reading.moved[.refundedNotConverted, default: []].append(amount.negated)
            }
        }
        return reading
    }

    private func retention(_ rules: [DefinitionRule]) -> RuledReading {
        var reading = RuledReading()
        guard !life.isAdopted else { return reading }
        let periods = periods
        let readings = (0...rules.count).map { count in
            PaidCohort.all(of: periods, Set(rules.prefix(count))).flatMap(\.amounts)
        }
        reading.add(readings, rules)
        // Every step is a share of the cohorts under all rules.
        for cohort in PaidCohort.all(of: periods, Set(rules)) {
            reading.base += (1...MetricSteps.count).map {
                RuledAmount(PaidCohort.step($0), at: cohort.at, cohort.values)
            }
        }
        return reading
    }

    // MARK: Returns

    private func reactivations(_ rules: [DefinitionRule]) -> RuledReading {
        let figure = "reactivated"
        var reading = RuledReading(ours: ours(.reactivations, figure))
        if rules.contains(.recoveriesIncluded) {
            reading.moved[.recoveriesIncluded] = recovered.filter { $0.state == .billingRetry }
                .map { RuledAmount(figure, at: $0.at, $0.values) }
        }
        if rules.contains(.autoRenewBackOn) {
            reading.moved[.autoRenewBackOn] =
                ours(.autoRenew, "on", as: figure) + reading.ours.map(\.negated)
        }
        return reading
    }

    private var recovered: [RecoveryReading] {
        life.recoveryReadings(in: app, catalogue: catalogue, limit: limit)
    }

    private func recoveries(_ rules: [DefinitionRule]) -> RuledReading {
        let entered = ours(.recoveries, "grace.entered")
        let paid = ["grace.recovered", "billingRetry.recovered"].flatMap { ours(.recoveries, $0) }
        var reading = RuledReading(ours: entered + paid)
        guard rules.contains(.datedByRecovery) else { return reading }
        reading.moved[.datedByRecovery] =
            paid.map(\.negated)
            + recovered.map {
                RuledAmount("\($0.state.rawValue).recovered", at: $0.at, $0.values)
            }
        return reading
    }

    // MARK: Money

    private func refunds(_ rules: [DefinitionRule]) -> RuledReading {
        let columns = ["refunds", "refunded"]
        var reading = RuledReading(ours: columns.flatMap { ours(.refunds, $0) })
        guard rules.contains(.datedByPurchase) else { return reading }
        reading.moved[.datedByPurchase] =
            reading.ours.map(\.negated) + columns.flatMap { ours(.refundsByPurchase, $0) }
        return reading
    }

    private var refundsByPurchase: RuledReading {
        RuledReading(
            ours: ["refunds", "refunded"].flatMap { ours(.refundsByPurchase, $0) },
            base: ours(.refundsByPurchase, "transactions", as: "refunds"))
    }

    private func revenue(_ rules: [DefinitionRule]) -> RuledReading {
        let figure = "gross"
        var reading = RuledReading(ours: ours(.revenue, figure))
        guard rules.contains(.refundsSubtracted) else { return reading }
        reading.moved[.refundsSubtracted] =
            ours(.revenue, "refunded", as: figure).map(\.negated)
            + ours(.revenue, "reversed", as: figure)
        return reading
    }
}
