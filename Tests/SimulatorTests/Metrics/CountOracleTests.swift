import AppStore
import Ledger
import Simulator
import Testing

/// Counted metrics over simulated worlds compared with an independent recount, with full and
/// partial knowledge.
@Suite("Counted metrics against an independent recount")
struct CountOracleTests {
    /// The known part of a world: everything, or what had arrived by a time.
    private static let moments: [Timestamp] = [
        Timestamp(milliseconds: 1_798_761_600_000), Timestamp(milliseconds: 1_713_000_000_123),
        Timestamp(milliseconds: 1_740_787_200_000), midGrace,
    ]

    /// During a grace period, so that one is open.
    private static let midGrace: Timestamp = {
        for life in TruthTests.lives {
            for interval in life.truth where interval.state == .grace {
                let known = life.deliveries.first { delivery in
                    interval.contains(delivery.receivedAt) && delivery.renewal != nil
                }
                if let known { return known.receivedAt }
            }
        }
        return SubscriberWorld.defaultHorizon
    }()

    private static let instants: [Timestamp] = (0..<21).map { quarter in
        let day = CivilDate(
            year: 2022 + Int64(quarter) / 4, month: Int64(quarter) % 4 * 3 + 1, day: 1)
        return Timestamp(milliseconds: day.daysSinceEpoch * 86_400_000)
    }

    struct World: Sendable {
        let limit: Timestamp
        var chains: [(seed: UInt64, plain: PlainCounts)] = []
    }

    static let worlds: [World] = {
        var worlds = moments.map { World(limit: $0) }
        for life in TruthTests.lives {
            let all = deliveries(of: life)
            // By the number of deliveries: often nothing arrived between two of the moments.
            var plain: [Int: PlainLife] = [:]
            for index in worlds.indices {
                let limit = worlds[index].limit
                let known = all.filter { $0.receivedAt <= limit }
                guard !known.isEmpty else { continue }
                let found = plain[known.count] ?? PlainLife(known, TruthTests.fold(known, life))
                plain[known.count] = found
                let counts = PlainCounts(plain: found, catalogue: .simulated, limit: limit)
                worlds[index].chains.append((life.seed, counts))
            }
        }
        return worlds
    }()

    /// Lives in Production, read without a catalogue.
    static let silent: [(seed: UInt64, plain: PlainLife)] = TruthTests.lives.compactMap { life in
        guard life.environment == .production else { return nil }
        let ledger = TruthTests.fold(life.deliveries, life, catalogue: Catalogue())
        return (life.seed, PlainLife(life.deliveries, ledger))
    }

    /// Some lives state the price of some purchases only, as payloads before 2023 state none.
    private static func deliveries(of life: SubscriberLife) -> [Delivery] {
        guard life.seed % 3 == 0 else { return life.deliveries }
        return life.deliveries.map { delivery in
            guard var sold = delivery.transaction,
                sold.transactionId?.rawValue.utf8.last.map({ $0 % 2 == 0 }) ?? false
            else { return delivery }
            (sold.price, sold.currency) = (nil, nil)
            let evidence: Delivery.Evidence =
                switch delivery.evidence {
                case .notification(let body, _, let renewal): .notification(body, sold, renewal)
                case .transaction: .transaction(sold)
                case .pair(_, let renewal, let status): .pair(sold, renewal, status)
                }
            return Delivery(
                ordinal: delivery.ordinal, receivedAt: delivery.receivedAt, evidence: evidence)
        }
    }

    private static func reported(
        _ metric: CountedMetric, _ chain: PlainCounts, instants: [Timestamp]
    ) -> [Occurrence] {
        chain.plain.life.occurrences(
            of: metric, in: TruthTests.world.bundleId, catalogue: .simulated,
            limit: chain.limit, instants: instants)
    }

    @Test(
        "The contribution of each chain to each metric equals an independent recount",
        arguments: CountedMetric.allCases)
    func chains(_ metric: CountedMetric) {
        var sums: [String: Int64] = [:]
        for world in Self.worlds {
            for (seed, chain) in world.chains {
                let reported = Self.reported(metric, chain, instants: Self.instants).map(Line.init)
                let plain = chain.counts(metric, instants: Self.instants).map(Line.init)
                #expect(
                    Line.sorted(reported) == Line.sorted(plain),
                    "\(metric) seed \(seed) at \(world.limit.rfc3339)")
                for line in plain { sums.merge(line.amounts, uniquingKeysWith: +) }
            }
        }
        // A recount of nothing proves nothing.
        let seldom: Set<String> = [
            "underProgram", "off.beforeEnd.1", "on.beforeEnd.1", "on.beforeEnd.8-14",
        ]
        for column in metric.columns where !seldom.contains(column.name) {
            let isFar = column.name.hasPrefix("step.") && sums[column.name] == nil
            #expect(sums[column.name] ?? 0 > 0 || isFar, "no \(column.name) in any world")
        }
    }

    @Test(
        "Without a catalogue the lengths of periods equal the recount's, restored or not",
        arguments: [CountedMetric.retention, .productChanges])
    func withoutCatalogue(_ metric: CountedMetric) {
        let limit = Self.moments[0]
        var sums: [String: Int64] = [:]
        for (seed, life) in Self.silent {
            let plain = PlainCounts(plain: life, catalogue: Catalogue(), limit: limit)
            let reported = life.life.occurrences(
                of: metric, in: TruthTests.world.bundleId, catalogue: Catalogue(), limit: limit,
                instants: Self.instants)
            let counted = plain.counts(metric, instants: Self.instants)
            #expect(
                Line.sorted(reported.map(Line.init)) == Line.sorted(counted.map(Line.init)),
                "\(metric) seed \(seed)")
            for count in counted { sums.merge(count.amounts, uniquingKeysWith: +) }
        }
        for column in metric == .retention
            ? ["cohort", "step.2.chance"] : ["toLonger", "toShorter"]
        {
            #expect(sums[column] ?? 0 > 10, "no \(column)")
        }
    }

    private struct Line: Hashable, CustomStringConvertible {
        var at: Timestamp
        /// Without zeros.
        var amounts: [String: Int64]

        init(_ found: Occurrence) {
            (at, amounts) = (found.at, found.amounts.filter { $0.value != 0 })
        }

        init(_ count: PlainCounts.Count) {
            (at, amounts) = (count.at, count.amounts.filter { $0.value != 0 })
        }

        var description: String {
            "\(at.rfc3339) \(amounts.sorted { $0.key < $1.key }.map { "\($0)=\($1)" })"
        }

        /// A contribution of nothing produces no line.
        static func sorted(_ lines: [Line]) -> [Line] {
            lines.filter { !$0.amounts.isEmpty }.sorted {
                $0.at == $1.at ? $0.description < $1.description : $0.at < $1.at
            }
        }
    }

    @Test(
        "Every cell of every grouping and filter equals the recount",
        arguments: CountedMetric.allCases)
    func cells(_ metric: CountedMetric) {
        let groupings: [[Dimension]] =
            [[]] + Dimension.allCases.filter { $0 != .reason }.map { [$0] }
            + [[.product, .country, .phase]]
        let filters: [[Dimension: Set<String?>]] = [
            [:], [.country: ["USA", "DEU"], .phase: ["standard", "trial"]],
        ]
        let world = World(
            limit: Self.worlds[2].limit, chains: Array(Self.worlds[2].chains.prefix(250)))
        let counts = world.chains.map { $0.plain.counts(metric, instants: Self.instants) }
        let reported = world.chains.map { Self.reported(metric, $0.plain, instants: Self.instants) }
        for dimensions in groupings {
            for filter in filters {
                var table = CountTable(
                    metric, instants: Self.instants, dimensions: dimensions, filters: filter)
                for occurrences in reported { table.add(occurrences) }
                var cells: [Place: [String: Int64]] = [:]
                for row in table.rows() {
                    let amounts = row.amounts.filter { $0.value != 0 }
                    if !amounts.isEmpty {
                        cells[Place(from: row.from, group: row.group)] = amounts
                    }
                }
                #expect(
                    cells == Self.plain(metric, world, counts, dimensions, filter),
                    "\(metric) \(dimensions) \(filter)")
            }
        }
    }

    private struct Place: Hashable {
        var from: Timestamp
        var group: [String?]
    }

    private static func plain(
        _ metric: CountedMetric, _ world: World, _ counts: [[PlainCounts.Count]],
        _ dimensions: [Dimension], _ filters: [Dimension: Set<String?>]
    ) -> [Place: [String: Int64]] {
        let named =
            metric.isMoney ? [.currency] + dimensions.filter { $0 != .currency } : dimensions
        var cells: [Place: [String: Int64]] = [:]
        for (chain, found) in zip(world.chains, counts) {
            for count in found {
                let sale = chain.plain.plain.sales[count.sale]
                let isMeant = filters.allSatisfy {
                    $0.value.contains(sale.value($0.key, .simulated))
                }
                guard isMeant, let from = instants.last(where: { $0 <= count.at }),
                    count.at < instants.last!
                else { continue }
                let group = named.map { sale.value($0, .simulated) }
                cells[Place(from: from, group: group), default: [:]].merge(
                    count.amounts.filter { $0.value != 0 }, uniquingKeysWith: +)
            }
        }
        return cells.filter { !$0.value.isEmpty }
    }
}
