import AppStore
import Ledger
import TestSupport
import Testing

@Suite("Sums of occurrences")
struct CountTableTests {
    private static let facts = (1...100).map { (seed: UInt64) in
        RandomLife.facts(seed: seed, count: 1 + Int(seed % 40), isHostile: seed.isMultiple(of: 3))
    }

    private static let lives = facts.map(life)

    /// The same chains in another order, with their facts in another order.
    private static let again: [Lifecycle] = {
        var numbers = SeededNumbers(seed: 11)
        return facts.map { life($0.shuffled(using: &numbers)) }.shuffled(using: &numbers)
    }()

    private static func life(_ facts: [Fact]) -> Lifecycle {
        Lifecycle(facts, environment: .production, catalogue: Catalogue())
    }

    private static let instants = (-2...60).map { day(Int64($0) * 5) }
    private static let limit = day(300)

    private static func table(
        _ metric: CountedMetric, _ dimensions: [Dimension] = [], of found: [[Occurrence]]? = nil
    ) -> [CountTable.Row] {
        var table = CountTable(metric, instants: instants, dimensions: dimensions)
        for found in found ?? lives.map({ occurrences($0, metric) }) { table.add(found) }
        return table.rows()
    }

    private static func occurrences(_ life: Lifecycle, _ metric: CountedMetric) -> [Occurrence] {
        life.occurrences(
            of: metric, in: app, catalogue: Catalogue(), limit: limit, instants: instants)
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
        let again = Self.again.map { Self.occurrences($0, metric) }
        #expect(Self.table(metric, of: again) == Self.table(metric))
    }

    private struct Place: Hashable {
        var from: Timestamp
        var group: [String?]
        var column: String
    }

    private static func amounts(_ rows: [CountTable.Row]) -> [Place: Int64] {
        var amounts: [Place: Int64] = [:]
        for row in rows {
            for (column, amount) in row.amounts where amount != 0 {
                amounts[Place(from: row.from, group: row.group, column: column)] = amount
            }
        }
        return amounts
    }

    @Test(
        "What one table has more than another one is the difference of their rows",
        arguments: CountedMetric.allCases)
    func beyond(_ metric: CountedMetric) {
        let empty = CountTable(metric, instants: Self.instants, dimensions: [.product])
        let tables = [Self.lives[..<50], Self.lives[50...]].map { lives in
            var table = empty
            for life in lives { table.add(Self.occurrences(life, metric)) }
            return table
        }
        var expected = Self.amounts(tables[0].rows())
        for (place, amount) in Self.amounts(tables[1].rows()) {
            expected[place, default: 0] -= amount
        }
        let found = Self.amounts(tables[0].difference(from: tables[1]))
        #expect(found == expected.filter { $0.value != 0 })
        #expect(tables[0].difference(from: tables[0]).isEmpty)
    }

    @Test("No more cells are kept than asked for, whether added or joined")
    func bounded() {
        let found = Self.lives.map { Self.occurrences($0, .active) }
        let whole = Self.table(.active, [.product], of: found)
        for count in [1, whole.count - 1, whole.count, whole.count + 1] {
            var table = CountTable(.active, instants: Self.instants, dimensions: [.product])
            table.keptCount = count
            var (one, other) = (table, table)
            for occurrences in found { one.add(occurrences) }
            for occurrences in found.reversed() { other.add(occurrences) }
            let kept = min(count, whole.count)
            #expect(one.rows().count == kept)
            one.add(other)
            #expect(one.rows().count == kept)
        }
    }
}
