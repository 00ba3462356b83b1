import AppStore
import Ledger
import LedgerStore
internal import Projection
internal import Queries

extension MetricsQuery {
    /// Maximum number of intervals in one comparison; some need a separate count for each.
    public static let comparedIntervalCount = 400

    /// The period of rates documented over the last days.
    static let lastDaysMilliseconds: Int64 = 30 * 86_400_000

    /// A metric under another product's definition beside ours.
    public func comparison(
        _ metric: String, _ words: MetricParameters, _ pack: DefinitionPack
    ) async throws(MetricsError) -> ComparisonReport {
        guard let rules = pack.rules(metric) else { throw .undocumented(metric, pack) }
        let isByReason = try isByReason(words, metric, pack)
        let zone = try words.zone(reportTimeZone)
        let interval = try words.reportInterval()
        let instants = try words.instants(interval, zone, limit: limit)
        guard instants.count <= MetricsQuery.comparedIntervalCount + 1 else {
            throw .tooManyIntervals(limit: MetricsQuery.comparedIntervalCount)
        }
        let filters = try words.conditions()
        guard filters[.reason] == nil else { throw .comparedWhole }
        // Churn by reason has no rate, and returns have no reason.
        let applied = isByReason ? [.trialsExcluded] : rules
        var seen = SeenValues([], filters, query.ledger.catalogue)
        try await noteClasses(&seen)
        let part = ComparedPart(
            metric, pack, applied, instants: instants, filters: filters, isByReason: isByReason)
        let sums = try await compared(part)
        guard !sums.part.isTooLarge else { throw .amountTooLarge }
        let rows = sums.part.rows
        return ComparisonReport(
            stamp: stamp(
                MetricName.definition(metric), zone, interval,
                remarks: remarks(sums.tally.chainCount, seen) + sums.moneyRemarks(rows)),
            pack: pack, metric: metric, figures: part.figures, rules: applied,
            reasons: isByReason ? pack.reasons : [], zone: zone, rows: rows)
    }

    /// Only churn is broken down by reason, and only for products with names of reasons.
    private func isByReason(
        _ words: MetricParameters, _ metric: String, _ pack: DefinitionPack
    ) throws(MetricsError) -> Bool {
        let dimensions = try words.dimensions()
        guard !dimensions.isEmpty else { return false }
        guard dimensions == [.reason], metric == MetricName.churn else { throw .comparedWhole }
        guard !pack.reasons.isEmpty else { throw .undocumented("\(metric) by reason", pack) }
        return true
    }

    private func compared(_ part: ComparedPart) async throws(MetricsError) -> CompareSums {
        let (catalogue, limit) = (query.ledger.catalogue, limit)
        do throws(StoreError) {
            return try await walk.sum(
                CompareSums(part: part),
                adding: { sums, chain, life in
                    sums.tally.chainCount += 1
                    sums.add(life, chain, catalogue, limit)
                },
                joining: { whole, part in
                    whole.tally.add(part.tally)
                    whole.part.add(part.part)
                })
        } catch {
            throw .store(error)
        }
    }
}

/// The sums of a comparison.
struct CompareSums: Sendable {
    var tally = MetricsQuery.Tally()
    var part: ComparedPart

    init(part: ComparedPart) { self.part = part }

    mutating func add(
        _ life: Lifecycle, _ chain: ChainId, _ catalogue: Catalogue, _ limit: Timestamp
    ) {
        if case .counted(let metric, var sums) = part {
            let reader = CountReader(
                life: life, app: chain.bundleId, catalogue: catalogue, limit: limit)
            sums.add(reader.reading(metric, sums.rules))
            part = .counted(metric, sums)
            for found in life.occurrences(
                of: metric, in: chain.bundleId, catalogue: catalogue, limit: limit, instants: [])
            where found.amounts["unpriced"] ?? 0 > 0 {
                tally.hasUnpriced = true
            }
            return
        }
        guard !life.isOneTime else { return }
        let metrics = ChainMetrics(life, of: chain.bundleId, catalogue: catalogue)
        if part.isRecurring {
            for stretch in metrics.stretches {
                if let counted = CountedClass(stretch) { tally.note(counted) }
            }
        }
        let holder = life.holders.holders(at: limit).map(\.customer).min()
        part.add(
            life, metrics,
            ComparedChain(
                app: chain.bundleId, customer: holder, catalogue: catalogue, limit: limit))
    }

    /// The remarks that our own answer would carry for the same figures.
    func moneyRemarks(_ rows: [ComparisonReport.Row]) -> [MetricsRemark] {
        var remarks: [MetricsRemark] = []
        if part.isRecurring, tally.hasInferredPeriods { remarks.append(.inferredPeriods) }
        if tally.hasUnpriced { remarks.append(.unpriced) }
        if Set(rows.compactMap(\.currency)).count > 1 { remarks.append(.severalCurrencies) }
        return remarks
    }
}

/// The properties of a chain needed beside its life.
struct ComparedChain {
    let app: BundleId
    /// Nil without a holder: the chain is a subscriber of its own.
    let customer: CustomerId?
    let catalogue: Catalogue
    let limit: Timestamp
}

/// The sums of one metric.
enum ComparedPart: Sendable {
    case chains(ComparedChains)
    case money(RuledMoney)
    case movement(RuledMovement)
    case counted(CountedMetric, RuledSums)

    init(
        _ metric: String, _ pack: DefinitionPack, _ rules: [DefinitionRule],
        instants: [Timestamp], filters: [Dimension: Set<String?>], isByReason: Bool
    ) {
        func question(_ measure: RollForwardQuestion.Measure) -> RollForwardQuestion {
            RollForwardQuestion(measure, instants: instants, filters: filters)
        }
        let figures = pack.figures(metric)
        switch metric {
        case "mrr", "arr": self = .money(RuledMoney(rules, figures, question(.money)))
        case "mrr-movement":
            self = .movement(RuledMovement(pack, rules, figures, question(.money)))
        default:
            guard let counted = CountedMetric(rawValue: metric), counted != .active else {
                self = .chains(
                    ComparedChains(
                        metric, pack, rules, figures, question(.chains), isByReason: isByReason))
                return
            }
            self = .counted(
                counted,
                RuledSums(
                    rules, figures, question(counted.isMoney ? .money : .chains),
                    based: pack.based(counted)))
        }
    }

    var isRecurring: Bool {
        switch self {
        case .money, .movement: true
        case .chains, .counted: false
        }
    }

    /// Whether a sum exceeds what a report can hold.
    var isTooLarge: Bool {
        switch self {
        case .movement(let movement): movement.isTooLarge
        case .money(let money): money.sums.isTooLarge
        case .counted(_, let sums): sums.isTooLarge
        case .chains: false
        }
    }

    mutating func add(_ life: Lifecycle, _ metrics: ChainMetrics, _ chain: ComparedChain) {
        switch self {
        case .chains(var chains):
            chains.add(life, metrics, chain)
            self = .chains(chains)
        case .money(var money):
            money.add(life, metrics)
            self = .money(money)
        case .movement(var movement):
            movement.add(metrics, chain, isAdopted: life.isAdopted)
            self = .movement(movement)
        case .counted: break
        }
    }

    mutating func add(_ other: ComparedPart) {
        switch (self, other) {
        case (.chains(var chains), .chains(let part)):
            chains.add(part)
            self = .chains(chains)
        case (.money(var money), .money(let part)):
            money.sums.add(part.sums)
            self = .money(money)
        case (.movement(var movement), .movement(let part)):
            movement.add(part)
            self = .movement(movement)
        case (.counted(let metric, var sums), .counted(_, let part)):
            sums.add(part)
            self = .counted(metric, sums)
        default: preconditionFailure("sums of two metrics are never added")
        }
    }

    var rows: [ComparisonReport.Row] {
        switch self {
        case .chains(let chains): chains.rows
        case .money(let money): money.sums.rows
        case .movement(let movement): movement.rows
        case .counted(_, let sums): sums.rows
        }
    }

    var figures: [ComparedFigure] {
        switch self {
        case .chains(let chains): chains.figures
        case .money(let money): money.sums.figures
        case .movement(let movement): movement.figures
        case .counted(_, let sums): sums.figures
        }
    }
}
