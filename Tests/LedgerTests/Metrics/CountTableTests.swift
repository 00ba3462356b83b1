import AppStore
import Ledger
import TestSupport
import Testing

@Suite("Sums of occurrences")
struct CountTableTests {
    private static let lives: [Lifecycle] = (1...100).map { (seed: UInt64) in
        Lifecycle(
            RandomLife.facts(
                seed: seed, count: 1 + Int(seed % 40), isHostile: seed.isMultiple(of: 3)),
            environment: .production, catalogue: Catalogue())
    }

    private static let instants = (-2...60).map { day(Int64($0) * 5) }
    private static let limit = day(300)

    private static func table(
        _ metric: CountedMetric, _ dimensions: [Dimension] = [],
        _ filters: [Dimension: Set<String?>] = [:], lives: [Lifecycle] = Self.lives
    ) -> [CountTable.Row] {
        var table = CountTable(
            metric, instants: instants, dimensions: dimensions, filters: filters)
        for life in lives { table.add(occurrences(life, metric)) }
        return table.rows()
    }

    private static func occurrences(_ life: Lifecycle, _ metric: CountedMetric) -> [Occurrence] {
        life.occurrences(
            of: metric, in: app, catalogue: Catalogue(), limit: limit, instants: instants)
    }

    @Test("Sums over the groups are the whole, for every metric", arguments: CountedMetric.allCases)
    func sums(_ metric: CountedMetric) {
        let whole = Self.table(metric)
        for dimension in Dimension.allCases {
            let parts = Self.table(metric, [dimension])
            for (from, to) in zip(Self.instants, Self.instants.dropFirst()) {
                for column in metric.columns {
                    func sum(_ rows: [CountTable.Row]) -> Int64 {
                        rows.filter { $0.from == from && $0.to == to }.reduce(0) {
                            $0 + $1[column.name]
                        }
                    }
                    #expect(sum(parts) == sum(whole), "\(dimension) \(column.name)")
                }
            }
        }
    }

    @Test("Every amount has its column, and none is negative", arguments: CountedMetric.allCases)
    func columns(_ metric: CountedMetric) {
        let names = metric.columns.map(\.name)
        #expect(Set(names).count == names.count)
        for life in Self.lives {
            for found in Self.occurrences(life, metric) {
                #expect(Set(names).isSuperset(of: found.amounts.keys))
                #expect(found.amounts.values.allSatisfy { $0 >= 0 })
                #expect(found.at < Self.limit)
            }
        }
        for rate in metric.rates {
            #expect(names.contains(rate.part) && names.contains(rate.whole))
        }
    }

    @Test(
        "Parts never exceed their wholes",
        arguments: CountedMetric.allCases.filter { !$0.rates.isEmpty })
    func parts(_ metric: CountedMetric) {
        for row in Self.table(metric) {
            for rate in metric.rates { #expect(row[rate.part] <= row[rate.whole], "\(rate.name)") }
        }
    }

    @Test("The order of facts and of chains does not matter", arguments: CountedMetric.allCases)
    func anyOrder(_ metric: CountedMetric) {
        var numbers = SeededNumbers(seed: 11)
        let again = (1...100).map { (seed: UInt64) in
            Lifecycle(
                RandomLife.facts(
                    seed: seed, count: 1 + Int(seed % 40), isHostile: seed.isMultiple(of: 3)
                ).shuffled(using: &numbers), environment: .production, catalogue: Catalogue())
        }.shuffled(using: &numbers)
        #expect(Self.table(metric, lives: again) == Self.table(metric))
    }

    @Test("A filter leaves the rows it keeps unchanged")
    func filtered() {
        let all = Self.table(.revenue, [.product])
        let only = Self.table(.revenue, [.product], [.product: ["a", nil]])
        #expect(only == all.filter { $0.group.last == "a" || $0.group.last == .some(nil) })
        #expect(!only.isEmpty)
    }
}
