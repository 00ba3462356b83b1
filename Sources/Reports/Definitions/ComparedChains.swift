import AppStore
import Ledger

/// Active and churned chains, under our rules and another product's.
struct ComparedChains: Sendable {
    let metric: String
    let pack: DefinitionPack
    let rules: [DefinitionRule]
    let figures: [ComparedFigure]
    private let isByReason: Bool
    private let instants: [Timestamp]
    private var all: RollForward
    private var paid: RollForward
    /// The paid roll-forward with past due counted, if that is one of the rules.
    private var kept: RollForward
    /// One per interval; each counts the days before its end.
    private var lastDays: [RollForward] = []
    private var active: CountTable
    private var subscribers = Subscribers()

    init(
        _ metric: String, _ pack: DefinitionPack, _ rules: [DefinitionRule],
        _ figures: [ComparedFigure], _ question: RollForwardQuestion, isByReason: Bool
    ) {
        self.metric = metric
        self.pack = pack
        self.rules = rules
        self.isByReason = isByReason
        self.figures = isByReason ? pack.reasonFigures : figures
        instants = question.instants
        all = RollForward(question)
        paid = RollForward(
            RollForwardQuestion(
                .paidChains, instants: question.instants, filters: question.filters))
        kept = paid
        if rules.contains(.lastThirtyDays) {
            lastDays = question.instants.dropFirst().map { end in
                RollForward(
                    RollForwardQuestion(
                        .paidChains, instants: [ComparedChains.begin(end), end],
                        filters: question.filters))
            }
        }
        active = CountTable(
            .active, instants: question.instants, dimensions: [.phase],
            filters: question.filters)
    }

    private static func begin(_ end: Timestamp) -> Timestamp {
        end.advanced(byMilliseconds: -MetricsQuery.lastDaysMilliseconds)
    }

    mutating func add(_ life: Lifecycle, _ metrics: ChainMetrics, _ chain: ComparedChain) {
        all.add(metrics)
        paid.add(metrics)
        let theirs = rules.contains(.pastDueIncluded) ? metrics.withPastDue : metrics
        kept.add(theirs)
        for index in lastDays.indices { lastDays[index].add(theirs) }
        if rules.contains(.perSubscriber) {
            subscribers.add(theirs, chain, all.question, isAdopted: life.isAdopted)
        }
        guard rules.contains(.setToCancelExcluded) || metric == CountedMetric.active.rawValue else {
            return
        }
        active.add(
            life.occurrences(
                of: .active, in: chain.app, catalogue: chain.catalogue, limit: chain.limit,
                instants: instants))
    }

    mutating func add(_ other: ComparedChains) {
        all.add(other.all)
        paid.add(other.paid)
        kept.add(other.kept)
        for index in lastDays.indices { lastDays[index].add(other.lastDays[index]) }
        active.add(other.active)
        subscribers.add(other.subscribers)
    }

    var rows: [ComparisonReport.Row] {
        if isByReason { return reasonRows }
        return metric == MetricName.churn ? churnRows : activeRows
    }

    // MARK: Churn

    private var churnRows: [ComparisonReport.Row] {
        let kept = kept.rows()
        let groups = subscribers.groups
        return zip(all.rows(), paid.rows()).enumerated().map { index, rows in
            let (whole, paid) = rows
            let lost = kept[index].churned
            let window = lastDays.isEmpty ? nil : lastDays[index].rows().first
            let together = window.map { Together(groups, from: $0.from, to: $0.to) }
            let differences = rules.map { rule -> ComparisonReport.Difference in
                let amount: Int64 =
                    switch rule {
                    case .trialsExcluded: paid.churned - whole.churned
                    case .returnsNetted: -(paid[.gained(.reactivated)] + paid[.gained(.recovered)])
                    case .lastThirtyDays: (window?.churned ?? 0) - lost
                    case .pastDueIncluded: lost - paid.churned
                    case .perSubscriber: together?.lost ?? 0
                    default: 0
                    }
                return ComparisonReport.Difference(
                    rule: rule, amount: amount, chainCount: abs(amount))
            }
            return ComparisonReport.Row(
                from: whole.from, to: whole.to, currency: nil, figure: figures[0].name,
                ours: whole.churned, differences: differences,
                base: base(paid, window, together))
        }
    }

    /// The corrections for counting all chains of one subscriber as one.
    private struct Together {
        var lost: Int64 = 0
        var base: Int64 = 0

        init(_ groups: [Subscribers.Group], from begin: Timestamp, to end: Timestamp) {
            let last = begin.advanced(byMilliseconds: -1)
            func isInside(_ time: Timestamp) -> Bool { begin <= time && time < end }
            func sums(_ subscriber: SubscriberMoney) -> (lost: Int, base: Int) {
                let turns = subscriber.turns
                return (
                    turns.losses.count(where: isInside),
                    turns.gains.count(where: isInside) + (subscriber.isPaid(at: last) ? 1 : 0)
                )
            }
            for group in groups {
                let (one, each) = (sums(group.whole), group.parts.map(sums))
                lost += Int64(one.lost - each.reduce(0) { $0 + $1.lost })
                base += Int64(one.base - each.reduce(0) { $0 + $1.base })
            }
        }
    }

    /// The denominator of the product's rate.
    private func base(
        _ paid: RollForwardRow, _ window: RollForwardRow?, _ together: Together?
    ) -> Int64? {
        switch pack {
        case .revenuecat: return paid.activeStart
        case .stripe:
            guard let window else { return nil }
            let new = Gain.allCases.reduce(window[.converted]) { $0 + window[.gained($1)] }
            return window.activeStart + new + (together?.base ?? 0)
        case .adapty, .appstoreconnect: return nil
        }
    }

    private var reasonRows: [ComparisonReport.Row] {
        zip(all.rows(), paid.rows()).flatMap { whole, paid in
            figures.map { figure in
                let reasons = pack.reasons.filter { $0.theirs == figure.name }.map(\.reason)
                func lost(_ row: RollForwardRow) -> Int64 {
                    reasons.reduce(0) { $0 + row[.churned($1)] }
                }
                let differences = rules.map { rule in
                    ComparisonReport.Difference(
                        rule: rule, amount: lost(paid) - lost(whole),
                        chainCount: lost(whole) - lost(paid))
                }
                return ComparisonReport.Row(
                    from: whole.from, to: whole.to, currency: nil, figure: figure.name,
                    ours: lost(whole), differences: differences, base: nil)
            }
        }
    }

    // MARK: Active

    private var activeRows: [ComparisonReport.Row] {
        let byEnd = Dictionary(grouping: active.rows()) { $0.from }
        let (paid, kept, groups) = (paid.rows(), kept.rows(), subscribers.groups)
        return all.rows().enumerated().map { index, whole in
            let phases = byEnd[whole.from] ?? []
            let trial = ChainAnswer.Phase.trial.rawValue
            let cancelling = phases.filter { $0.group != [trial] }
                .reduce(0) { $0 + $1["setToCancel"] }
            let last = whole.to.advanced(byMilliseconds: -1)
            let doubled = groups.reduce(Int64(0)) { sum, group in
                let count = group.parts.count { $0.isPaid(at: last) }
                return sum + Int64(max(0, count - 1))
            }
            let differences = rules.map { rule in
                let amount: Int64 =
                    switch rule {
                    case .trialsExcluded: paid[index].activeEnd - whole.activeEnd
                    case .setToCancelExcluded: -cancelling
                    case .pastDueIncluded: kept[index].activeEnd - paid[index].activeEnd
                    case .perSubscriber: -doubled
                    default: 0
                    }
                return ComparisonReport.Difference(
                    rule: rule, amount: amount, chainCount: abs(amount))
            }
            return ComparisonReport.Row(
                from: whole.from, to: whole.to, currency: nil, figure: figures[0].name,
                ours: whole.activeEnd, differences: differences, base: nil)
        }
    }
}

extension ChainMetrics {
    /// The same metrics where a subscriber is lost only after billing retry ends.
    var withPastDue: ChainMetrics {
        var changed = self
        for index in stretches.indices where stretches[index].state == .billingRetry {
            changed.stretches[index].state = .grace
        }
        return changed
    }
}
