import AppStore
import Ledger
import LedgerStore

extension MetricsQuery {
    /// Intervals of one comparison: some need a count of their own for each.
    public static let comparedIntervalCount = 400

    /// What those who document their rate over the last days look back.
    static let lastDaysMilliseconds: Int64 = 30 * 86_400_000

    /// A metric under another product's definition beside ours.
    public func comparison(
        _ metric: String, _ words: MetricsWords, _ pack: DefinitionPack
    ) async throws(MetricsError) -> ComparisonReport {
        guard let rules = pack.rules(metric) else { throw .undocumented(metric, pack) }
        guard try words.dimensions().isEmpty else { throw .comparedWhole }
        let zone = try words.zone(reportTimeZone)
        let interval = try words.reportInterval()
        let instants = try words.instants(interval, zone, limit: limit)
        guard instants.count <= MetricsQuery.comparedIntervalCount + 1 else {
            throw .tooManyIntervals(limit: MetricsQuery.comparedIntervalCount)
        }
        let filters = try words.conditions()
        guard filters[.reason] == nil else { throw .comparedWhole }
        let question = RollForwardQuestion(
            metric == "mrr" ? .money : .chains, instants: instants, filters: filters)
        var seen = SeenValues([], filters, query.ledger.catalogue)
        try await noteClasses(&seen)
        let sums = try await compared(CompareSums(rules, question, filters))
        let rows =
            switch metric {
            case "mrr": sums.moneyRows
            case "churn": sums.churnRows(pack)
            default: sums.activeRows
            }
        return ComparisonReport(
            stamp: stamp(
                MetricName.definition(metric), zone, interval,
                remarks: remarks(sums.tally.chainCount, seen) + sums.moneyRemarks(rows)),
            pack: pack, metric: metric, rules: rules, zone: zone, rows: rows)
    }

    private func compared(_ empty: CompareSums) async throws(MetricsError) -> CompareSums {
        let (catalogue, limit) = (query.ledger.catalogue, limit)
        do throws(StoreError) {
            return try await walk.sum(
                empty,
                adding: { sums, chain, life in
                    sums.tally.chainCount += 1
                    guard !life.isOneTime else { return }
                    sums.add(life, chain, catalogue, limit)
                },
                joining: { $0.add($1) })
        } catch {
            throw .store(error)
        }
    }
}

extension ChainMetrics {
    /// The same for who has not lost a subscriber before billing retry is over.
    fileprivate var withPastDue: ChainMetrics {
        var changed = self
        for index in stretches.indices where stretches[index].state == .billingRetry {
            changed.stretches[index].state = .grace
        }
        return changed
    }
}

/// Everything a comparison is made of.
struct CompareSums: Sendable {
    let rules: [DefinitionRule]
    var tally = MetricsQuery.Tally()
    private var all: RollForward
    private var paid: RollForward
    /// The same with the rule on past due, where it is one of theirs.
    private var kept: RollForward
    /// One for each interval, where what counts are the days before its end.
    private var lastDays: [RollForward] = []
    private var active: CountTable
    private var money: RuledMoney

    init(
        _ rules: [DefinitionRule], _ question: RollForwardQuestion,
        _ filters: [Dimension: Set<String?>]
    ) {
        self.rules = rules
        let instants = question.instants
        func rollForward(_ instants: [Timestamp], isPaid: Bool) -> RollForward {
            RollForward(
                RollForwardQuestion(
                    isPaid ? .paidChains : .chains, instants: instants, filters: filters))
        }
        all = rollForward(instants, isPaid: false)
        paid = rollForward(instants, isPaid: true)
        kept = paid
        if rules.contains(.lastThirtyDays) {
            lastDays = instants.dropFirst().map { end in
                let begin = end.advanced(byMilliseconds: -MetricsQuery.lastDaysMilliseconds)
                return rollForward([begin, end], isPaid: true)
            }
        }
        active = CountTable(
            .active, instants: instants, dimensions: [.phase], filters: filters)
        money = RuledMoney(rules, question)
    }

    mutating func add(
        _ life: Lifecycle, _ chain: ChainId, _ catalogue: Catalogue, _ limit: Timestamp
    ) {
        let metrics = ChainMetrics(life, of: chain.bundleId, catalogue: catalogue)
        guard money.question.measure != .money else {
            for stretch in metrics.stretches {
                if let counted = CountedClass(stretch) { tally.note(counted) }
            }
            return money.add(life, metrics)
        }
        all.add(metrics)
        paid.add(metrics)
        let theirs = rules.contains(.pastDueIncluded) ? metrics.withPastDue : metrics
        kept.add(theirs)
        for index in lastDays.indices { lastDays[index].add(theirs) }
        active.add(
            life.occurrences(
                of: .active, in: chain.bundleId, catalogue: catalogue, limit: limit,
                instants: money.question.instants))
    }

    mutating func add(_ other: CompareSums) {
        tally.add(other.tally)
        all.add(other.all)
        paid.add(other.paid)
        kept.add(other.kept)
        for index in lastDays.indices { lastDays[index].add(other.lastDays[index]) }
        active.add(other.active)
        money.add(other.money)
    }

    // MARK: Rows

    /// What our own answer says beside the same figures.
    func moneyRemarks(_ rows: [ComparisonReport.Row]) -> [MetricsRemark] {
        guard money.question.measure == .money else { return [] }
        var remarks: [MetricsRemark] = []
        if tally.hasInferredPeriods { remarks.append(.inferredPeriods) }
        if tally.hasUnpriced { remarks.append(.unpriced) }
        if Set(rows.compactMap(\.currency)).count > 1 { remarks.append(.severalCurrencies) }
        return remarks
    }

    func churnRows(_ pack: DefinitionPack) -> [ComparisonReport.Row] {
        let kept = kept.rows()
        return zip(all.rows(), paid.rows()).enumerated().map { index, rows in
            let (whole, paid) = rows
            let lost = kept[index].churned
            let window = lastDays.isEmpty ? nil : lastDays[index].rows().first
            let differences = rules.map { rule -> ComparisonReport.Difference in
                let amount: Int64 =
                    switch rule {
                    case .trialsExcluded: paid.churned - whole.churned
                    case .returnsNetted: -(paid[.gained(.reactivated)] + paid[.gained(.recovered)])
                    case .lastThirtyDays: (window?.churned ?? 0) - lost
                    case .pastDueIncluded: lost - paid.churned
                    default: 0
                    }
                return ComparisonReport.Difference(
                    rule: rule, amount: amount, chainCount: abs(amount))
            }
            return ComparisonReport.Row(
                from: whole.from, to: whole.to, currency: nil, ours: whole.churned,
                differences: differences, base: base(pack, paid, window))
        }
    }

    /// What their rate is of.
    private func base(
        _ pack: DefinitionPack, _ paid: RollForwardRow, _ window: RollForwardRow?
    ) -> Int64? {
        switch pack {
        case .revenuecat: return paid.activeStart
        case .stripe:
            guard let window else { return nil }
            let new = Gain.allCases.reduce(window[.converted]) { $0 + window[.gained($1)] }
            return window.activeStart + new
        case .adapty, .appstoreconnect: return nil
        }
    }

    var activeRows: [ComparisonReport.Row] {
        let byEnd = Dictionary(grouping: active.rows()) { $0.from }
        return all.rows().map { whole in
            let phases = byEnd[whole.from] ?? []
            let trial = ChainAnswer.Phase.trial.rawValue
            let trials = phases.filter { $0.group == [trial] }.reduce(0) { $0 + $1["active"] }
            let cancelling = phases.filter { $0.group != [trial] }
                .reduce(0) { $0 + $1["setToCancel"] }
            let differences = rules.map { rule in
                let count = rule == .trialsExcluded ? trials : cancelling
                return ComparisonReport.Difference(rule: rule, amount: -count, chainCount: count)
            }
            return ComparisonReport.Row(
                from: whole.from, to: whole.to, currency: nil, ours: whole.activeEnd,
                differences: differences, base: nil)
        }
    }

    var moneyRows: [ComparisonReport.Row] {
        let instants = money.question.instants
        let cells = money.cells.keys.sorted { left, right in
            left.instant == right.instant
                ? RollForwardQuestion.precedes([left.currency], [right.currency])
                : left.instant < right.instant
        }
        return cells.map { cell in
            let sums = money.cells[cell] ?? RuledMoney.Sums()
            let differences = rules.map { rule in
                let moved = sums.moved[rule] ?? RuledMoney.Moved()
                return ComparisonReport.Difference(
                    rule: rule, amount: moved.amount, chainCount: moved.chainCount)
            }
            return ComparisonReport.Row(
                from: instants[cell.instant - 1], to: instants[cell.instant],
                currency: cell.currency, ours: sums.ours, differences: differences, base: nil)
        }
    }
}
