import AppStore
import Ledger
import Simulator
import Testing

/// Roll-forwards over simulated worlds compared with an independent count of the same chains'
/// answers, and with the truth.
@Suite("Roll-forwards over simulated worlds")
struct MetricsTruthTests {
    /// The quarters of the simulated years, and a few odd times.
    private static let instants: [Timestamp] = {
        var instants: [Timestamp] = []
        for year in 2022...2026 as ClosedRange<Int64> {
            for month in [1, 4, 7, 10] as [Int64] {
                let days = CivilDate(year: year, month: month, day: 1).daysSinceEpoch
                instants.append(Timestamp(milliseconds: days * 86_400_000))
            }
        }
        return instants + [Timestamp(milliseconds: 1_700_000_000_123)]
    }()

    private static let lives: [(seed: UInt64, life: SubscriberLife, ledger: Lifecycle)] =
        TruthTests.ledgers.prefix(150).map { ($0.seed, $0, $1) }

    private static func metrics(_ life: Lifecycle) -> ChainMetrics {
        ChainMetrics(life, of: TruthTests.world.bundleId, catalogue: .simulated)
    }

    @Test(
        "Every cell of every grouping equals an independent count of the answers",
        arguments: RollForwardQuery.Measure.allCases)
    func plainly(_ measure: RollForwardQuery.Measure) {
        var chains = Self.lives.map { PlainRollForward.Chain($0.ledger) }
        let metrics = Self.lives.map { Self.metrics($0.ledger) }
        let groupings: [[Dimension]] =
            [[]] + Dimension.allCases.map { [$0] } + [[.product, .country, .reason]]
        let filters: [[Dimension: Set<String?>]] = [
            [:], [.country: ["USA", "DEU"], .phase: ["standard"]],
        ]
        for dimensions in groupings {
            for filter in filters {
                let question = RollForwardQuery(
                    measure, instants: Self.instants, dimensions: dimensions, filters: filter)
                var sum = RollForward(question)
                for chain in metrics { sum.add(chain) }
                let reported = Self.cells(sum.rows())
                let plain = PlainRollForward(
                    measure: measure, dimensions: dimensions, filters: filter,
                    catalogue: .simulated)
                for (from, to) in zip(question.instants, question.instants.dropFirst()) {
                    let expected = plain.cells(&chains, from: from, to: to)
                    #expect(
                        reported[from] ?? [:] == expected,
                        "\(measure) \(dimensions) \(from.rfc3339)")
                }
            }
        }
    }

    @Test("Without a catalogue recurring money equals the recount, restored or extended or not")
    func withoutCatalogue() {
        let silent = Catalogue()
        let question = RollForwardQuery(
            .money, instants: Self.instants, dimensions: [.product])
        var sum = RollForward(question)
        var chains: [PlainRollForward.Chain] = []
        var lengths: [TransactionId: ISO8601Period] = [:]
        var restored = 0
        for (seed, plain) in CountOracleTests.silent where seed < 600 {
            let ledger = plain.life
            sum.add(ChainMetrics(ledger, of: TruthTests.world.bundleId, catalogue: silent))
            chains.append(PlainRollForward.Chain(ledger))
            for sale in plain.sales {
                // A copy with a later purchase date would shorten the period.
                if sale.payload.purchaseDate != sale.bought, !ledger.isOneTime { restored += 1 }
                for id in sale.ids { lengths[id] = sale.length(silent) }
            }
        }
        #expect(restored > 20)
        let reported = Self.cells(sum.rows())
        let plain = PlainRollForward(
            measure: .money, dimensions: [.product], filters: [:], catalogue: silent,
            lengths: lengths)
        for (from, to) in zip(question.instants, question.instants.dropFirst()) {
            let expected = plain.cells(&chains, from: from, to: to)
            #expect(reported[from] ?? [:] == expected, "\(from.rfc3339)")
        }
    }

    /// Without zeros, like the recount.
    private static func cells(
        _ rows: [RollForwardRow]
    ) -> [Timestamp: [[String?]: PlainRollForward.Cells]] {
        var cells: [Timestamp: [[String?]: PlainRollForward.Cells]] = [:]
        for row in rows {
            var values = Dictionary(
                uniqueKeysWithValues: row.columns.map { (name($0.key), $0.value) })
            if row.activeStart != 0 { values["activeStart"] = row.activeStart }
            if row.activeEnd != 0 { values["activeEnd"] = row.activeEnd }
            guard !values.isEmpty else { continue }
            cells[row.from, default: [:]][row.group] = values
        }
        return cells
    }

    private static func name(_ column: RollForwardColumn) -> String {
        switch column {
        case .gained(let gain): gain.rawValue
        case .churned(let reason): "churned.\(reason.rawValue)"
        default: "\(column)"
        }
    }

    @Test("Losses of access by reason are the true ones")
    func truly() {
        var reported: [String: Int64] = [:]
        var truth: [String: Int64] = [:]
        let everything = RollForwardQuery(
            .chains, instants: [Timestamp(milliseconds: .min), Timestamp(milliseconds: .max)])
        for (_, life, ledger) in Self.lives {
            let metrics = Self.metrics(ledger)
            guard metrics.stretches.allSatisfy(\.isCounted), !metrics.stretches.isEmpty else {
                continue
            }
            var sum = RollForward(everything)
            sum.add(metrics)
            for row in sum.rows() {
                for reason in EndReason.allCases where row[.churned(reason)] > 0 {
                    reported[reason.rawValue, default: 0] += row[.churned(reason)]
                }
            }
            for (left, right) in zip(life.truth, life.truth.dropFirst())
            where left.state.isEntitled && !right.state.isEntitled {
                truth[right.reason?.rawValue ?? "none", default: 0] += 1
            }
        }
        #expect(reported == truth)
        #expect(Set(truth.keys).isSuperset(of: ["voluntary", "billing", "refund"]))
    }

    @Test("A chain's contribution does not depend on the order or repetition of its evidence")
    func wildOrders() {
        for (seed, life, ledger) in Self.lives.prefix(60) {
            var adversity = Adversity(seed: seed)
            let again = TruthTests.fold(adversity.wild(life.deliveries), life)
            let (left, right) = (Self.metrics(ledger), Self.metrics(again))
            // Positions differ, since they name the evidence.
            #expect(Self.withoutCauses(left) == Self.withoutCauses(right), "seed \(seed)")
        }
    }

    private static func withoutCauses(_ metrics: ChainMetrics) -> [CountedStretch] {
        metrics.stretches.map { stretch in
            var stretch = stretch
            stretch.cause = 0
            return stretch
        }
    }
}
