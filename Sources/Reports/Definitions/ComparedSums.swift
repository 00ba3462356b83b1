import AppStore
import Ledger

/// A metric under our definition and another product's, summed over chains. What differs between
/// metrics is how a chain's contribution is computed; rules transform the chain's stretches or add
/// and remove occurrences.
struct ComparedSums: Summable {
    let metric: String
    let pack: DefinitionPack
    var tally = MetricsQuery.Tally()
    private let isByReason: Bool
    private(set) var sums: RuledSums
    private var subscribers = Subscribers()
    /// Of active chains and churn: all chains, paid ones, and paid ones with the product's rule for
    /// past due; the last of these also over the days before the end of each interval.
    private var rollForwards: [RollForward] = []

    var rules: [DefinitionRule] { sums.rules }

    init(
        _ metric: String, _ pack: DefinitionPack, _ rules: [DefinitionRule],
        instants: [Timestamp], filters: [Dimension: Set<String?>], isByReason: Bool
    ) {
        self.metric = metric
        self.pack = pack
        self.isByReason = isByReason
        func question(
            _ measure: RollForwardQuery.Measure, _ instants: [Timestamp]
        ) -> RollForwardQuery {
            RollForwardQuery(measure, instants: instants, filters: filters)
        }
        let isMoney = MetricName.allCases.first { $0.rawValue == metric }?.isMoney ?? false
        sums = RuledSums(
            rules, isByReason ? pack.reasonFigures : pack.figures(metric),
            question(isMoney ? .money : .chains, instants),
            based: isByReason ? [] : pack.based(metric))
        guard metric == MetricName.churnName || metric == CountedMetric.active.rawValue else {
            return
        }
        rollForwards = [.chains, .paidChains, .paidChains].map {
            RollForward(question($0, instants))
        }
        guard rules.contains(.lastThirtyDays) else { return }
        rollForwards += instants.dropFirst().map { end in
            let begin = end.advanced(byMilliseconds: -MetricsQuery.lastDaysMilliseconds)
            return RollForward(question(.paidChains, [begin, end]))
        }
    }

    // MARK: Adding

    mutating func add(
        _ life: Lifecycle, _ chain: ChainId, _ catalogue: Catalogue, _ limit: Timestamp
    ) {
        let life = life.counted(catalogue)
        let counted = CountedMetric(rawValue: metric)
        func occurrences(_ metric: CountedMetric, _ instants: [Timestamp]) -> [Occurrence] {
            life.occurrences(
                of: metric, in: chain.bundleId, catalogue: catalogue, limit: limit,
                instants: instants)
        }
        if let counted, counted != .active {
            let reader = CountReader(
                life: life, app: chain.bundleId, catalogue: catalogue, limit: limit)
            reader.add(counted, to: &sums)
            if occurrences(counted, []).contains(where: { $0.amounts["unpriced"] ?? 0 > 0 }) {
                tally.hasUnpriced = true
            }
            return
        }
        guard !life.isOneTime else { return }
        let metrics = ChainMetrics(life, of: chain.bundleId, catalogue: catalogue)
        let theirs = rules.contains(.pastDueIncluded) ? metrics.withPastDue : metrics
        if rollForwards.isEmpty {
            let periods =
                rules.contains(.refundedRemoved)
                ? life.periodReadings(in: chain.bundleId, catalogue: catalogue, limit: limit) : []
            addMoney(life, periods, metrics, theirs)
        } else {
            for index in rollForwards.indices {
                rollForwards[index].add(index < 2 ? metrics : theirs)
            }
            let (figure, instants) = (sums.figures[0].name, sums.question.instants)
            for stretch in rules.contains(.returnsNetted) ? metrics.paidEntries.returns : [] {
                sums.add(
                    by: .returnsNetted,
                    [RuledAmount(figure, -1, at: stretch.from, stretch.values)])
            }
            sums.add(
                by: .setToCancelExcluded,
                occurrences(.active, instants).filter { $0.values.phase != .trial }.map {
                    RuledAmount(figure, -($0.amounts["setToCancel"] ?? 0), at: $0.at, $0.values)
                })
        }
        let isCounted = !rollForwards.isEmpty || theirs.stretches.contains(where: \.isPaid)
        guard isCounted, rules.contains(.perSubscriber) else { return }
        subscribers.add(
            theirs, chain.bundleId, life.holders.holders(at: limit).map(\.customer).min(),
            sums.question, isAdopted: life.isAdopted)
    }

    private mutating func addMoney(
        _ life: Lifecycle, _ periods: [PeriodReading], _ metrics: ChainMetrics,
        _ theirs: ChainMetrics
    ) {
        for stretch in metrics.stretches {
            if let counted = CountedClass(stretch) { tally.note(counted) }
        }
        let money = RuledMoney(question: sums.question, rules: rules)
        guard metric == MetricName.mrrMovement.rawValue else {
            return sums.add(money.standing(metrics, periods, sums.figures[0].name))
        }
        sums.add(
            pack == .stripe
                ? money.subscriber(metrics, theirs, isAdopted: life.isAdopted)
                : money.renewal(metrics, isAdopted: life.isAdopted))
    }

    mutating func add(_ other: ComparedSums) {
        tally.add(other.tally)
        sums.add(other.sums)
        subscribers.add(other.subscribers)
        for index in rollForwards.indices { rollForwards[index].add(other.rollForwards[index]) }
    }

    // MARK: Rows

    /// Throws `stopped`.
    func rows() throws(MetricsError) -> [Report.Row] {
        var sums = sums
        if isByReason {
            addReasons(to: &sums)
        } else if !rollForwards.isEmpty {
            try addChains(to: &sums)
        } else if metric == MetricName.mrrMovement.rawValue {
            try addSubscribers(to: &sums)
        }
        return sums.rows
    }

    private func addReasons(to sums: inout RuledSums) {
        let rows = rollForwards.map { $0.rows() }
        for (interval, (whole, paid)) in zip(rows[0], rows[1]).enumerated() {
            for named in pack.reasons {
                let lost = whole[.churned(named.reason)]
                let cell = RuledSums.Cell(interval: interval, currency: nil, figure: named.theirs)
                sums.add(ours: lost, in: cell)
                sums.add(
                    paid[.churned(named.reason)] - lost, by: .trialsExcluded, in: cell,
                    chainCount: lost - paid[.churned(named.reason)])
            }
        }
    }

    private func addChains(to sums: inout RuledSums) throws(MetricsError) {
        let rows = rollForwards.prefix(3).map { $0.rows() }
        let windows = rollForwards.dropFirst(3).map { $0.rows()[0] }
        let turns = try SubscriberTurns(subscribers.groups)
        for (interval, whole) in rows[0].enumerated() {
            let (paid, kept) = (rows[1][interval], rows[2][interval])
            let cell = RuledSums.Cell(
                interval: interval, currency: nil, figure: sums.figures[0].name)
            func add(_ amount: Int64, by rule: DefinitionRule) {
                guard rules.contains(rule) else { return }
                sums.add(amount, by: rule, in: cell, chainCount: abs(amount))
            }
            guard metric == MetricName.churnName else {
                sums.add(ours: whole.activeEnd, in: cell)
                add(paid.activeEnd - whole.activeEnd, by: .trialsExcluded)
                add(kept.activeEnd - paid.activeEnd, by: .pastDueIncluded)
                add(-turns.doubled(justBefore: whole.to), by: .perSubscriber)
                continue
            }
            sums.add(ours: whole.churned, in: cell)
            add(lost(paid) - whole.churned, by: .trialsExcluded)
            add(lost(kept) - lost(paid), by: .pastDueIncluded)
            guard windows.indices.contains(interval) else {
                sums.add(base: paid.activeStart, in: cell)
                continue
            }
            let window = windows[interval]
            let together = turns.corrections(from: window.from, to: window.to)
            add(lost(window) - lost(kept), by: .lastThirtyDays)
            add(together.lost, by: .perSubscriber)
            let new = RollForwardColumn.all.filter(\.isGain).reduce(0) { $0 + window[$1] }
            sums.add(base: window.activeStart + new + together.base, in: cell)
        }
    }

    /// The losses of a row of paid chains. For Stripe these are all whose payment stopped, also in
    /// free time or in a copy.
    private func lost(_ row: RollForwardRow) -> Int64 {
        pack == .stripe ? row.churned + row[.toFree] + row[.movedOut] : row.churned
    }

    private func addSubscribers(to sums: inout RuledSums) throws(MetricsError) {
        let money = RuledMoney(question: sums.question, rules: rules)
        for group in subscribers.groups {
            guard !Task.isCancelled else { throw .stopped }
            var moved = money.stage(group.whole.changes)
            for part in group.parts {
                moved.merge(money.stage(part.changes).mapValues { -$0 }) { $0.addingSaturated($1) }
            }
            for (cell, amount) in moved where amount != 0 {
                sums.add(
                    amount, by: .perSubscriber, in: cell, chainCount: Int64(group.parts.count))
            }
        }
    }

    /// The remarks on money that our own answer would carry for the same figures.
    func remarks(on rows: [Report.Row]) -> [MetricsRemark] {
        tally.remarks + rows.currencyRemarks
    }
}
