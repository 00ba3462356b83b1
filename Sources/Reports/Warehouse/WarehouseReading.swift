import AppStore
import Ledger
package import Projection

/// The statements about one chain under some knowledge, as line values with their multiplicity.
/// None depends on a clock, so the passage of time never invalidates a line.
package struct WarehouseReading {
    package typealias Values = [WarehouseCell]

    let life: Lifecycle
    let chain: ChainId
    let catalogue: Catalogue
    let zone: ReportZone

    package init(life: Lifecycle, chain: ChainId, catalogue: Catalogue, zone: ReportZone) {
        self.life = life
        self.chain = chain
        self.catalogue = catalogue
        self.zone = zone
    }

    package func stated(_ subject: WarehouseSubject) -> [Values: Int64] {
        switch subject {
        case .facts: facts
        case .transitions: transitions
        case .daily: daily
        }
    }

    private var facts: [Values: Int64] {
        life.counted(catalogue).timelineEvents.reduce(into: [:]) { stated, fact in
            stated[
                [
                    .text(fact.at.rfc3339), .text(fact.name.rawValue),
                    WarehouseCell(fact.productId?.rawValue),
                    WarehouseCell(fact.transactionId?.rawValue),
                ], default: 0] += 1
        }
    }

    // MARK: Transitions

    private var transitions: [Values: Int64] {
        var stated: [Values: Int64] = [:]
        var before: CountedStretch?
        for stretch in ChainMetrics(life, of: chain.bundleId, catalogue: catalogue).stretches {
            defer { before = stretch }
            if let before, WarehouseReading.isSame(before, stretch) { continue }
            let change: Values = [
                .text(stretch.from.rfc3339), WarehouseCell(before?.state.rawValue),
                .text(stretch.state.rawValue), WarehouseCell(stretch.reason?.rawValue),
                WarehouseCell(stretch.entry?.rawValue),
            ]
            stated[change + WarehouseReading.counted(stretch), default: 0] += 1
        }
        return stated
    }

    /// Whether no exported value changed: a further period with equal values is not a transition.
    private static func isSame(_ before: CountedStretch, _ after: CountedStretch) -> Bool {
        before.state == after.state && before.reason == after.reason
            && counted(before) == counted(after)
    }

    /// The columns of what a stretch is counted under.
    private static func counted(_ stretch: CountedStretch) -> Values {
        let values = stretch.values
        return [
            .flag(stretch.isCounted), WarehouseCell(values.product?.rawValue),
            WarehouseCell(values.group), WarehouseCell(values.storefront),
            WarehouseCell(values.currency), WarehouseCell(values.offer.flatMap { $0.label }),
            .text(values.phase.rawValue), .text(values.ownership.rawValue),
            WarehouseCell(stretch.annualised),
        ]
    }

    // MARK: Days

    /// Metrics that do not change with time alone.
    static let dailyMetrics: [CountedMetric] = [
        .starts, .renewals, .reactivations, .autoRenew, .productChanges, .refunds, .revenue,
    ]

    static let dailyChurn = "churn"

    private var daily: [Values: Int64] {
        var stated: [Values: Int64] = [:]
        addChurn(&stated)
        for metric in WarehouseReading.dailyMetrics {
            let units = Dictionary(
                uniqueKeysWithValues: metric.columns.map { ($0.name, $0.unit.rawValue) })
            let found = life.occurrences(
                of: metric, in: chain.bundleId, catalogue: catalogue,
                limit: Timestamp(milliseconds: .max), instants: [])
            for occurrence in found {
                for (column, amount) in occurrence.amounts where amount != 0 {
                    let values = occurrence.values
                    let line = [
                        day(occurrence.at), .text(metric.rawValue), .text(column),
                        WarehouseCell(units[column]), WarehouseCell(values.product?.rawValue),
                        WarehouseCell(values.storefront), WarehouseCell(values.currency),
                    ]
                    stated[line] = (stated[line] ?? 0).addingSaturated(amount)
                }
            }
        }
        return stated.filter { $0.value != 0 }
    }

    /// The roll-forward's columns, by product and storefront.
    private func addChurn(_ stated: inout [Values: Int64]) {
        let metrics = ChainMetrics(life, of: chain.bundleId, catalogue: catalogue)
        let days = Set(metrics.stretches.map { zone.day(of: $0.from) })
        let instants = days.flatMap { day in
            [
                zone.start(of: day),
                zone.start(of: CivilDate(daysSinceEpoch: day.daysSinceEpoch + 1)),
            ]
        }
        var sum = RollForward(
            RollForwardQuery(.chains, instants: instants, dimensions: [.product, .storefront]))
        sum.add(metrics)
        for row in sum.rows() {
            for (column, amount) in row.columns where amount != 0 {
                stated[
                    [
                        day(row.from), .text(WarehouseReading.dailyChurn), .text(column.name),
                        .text(CountColumn.Unit.count.rawValue), WarehouseCell(row.group[0]),
                        WarehouseCell(row.group[1]), .null,
                    ], default: 0] += amount
            }
        }
    }

    private func day(_ moment: Timestamp) -> WarehouseCell {
        .text(zone.day(of: moment).text)
    }
}
