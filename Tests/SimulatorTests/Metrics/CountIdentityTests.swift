import AppStore
import Ledger
import Simulator
import Testing

/// Properties of every metric in every world, whatever the figures.
@Suite("Identities of metrics")
struct CountIdentityTests {
    private static let world = CountOracleTests.worlds[2]

    private static let days: [Timestamp] = {
        let first = CivilDate(year: 2024, month: 6, day: 1).daysSinceEpoch
        return (0...60).map { Timestamp(milliseconds: (first + Int64($0)) * 86_400_000) }
    }()

    private static let chains = Array(world.chains.prefix(400))
    /// The roll-forwards of the first chains, for all measures.
    private static let metrics = chains.prefix(200).map { _, chain in
        ChainMetrics(chain.plain.life, of: TruthTests.world.bundleId, catalogue: .simulated)
    }

    /// The contribution of every chain, read once for each metric and for all tests.
    private struct Book {
        let metric: CountedMetric
        let occurrences: [[Occurrence]]

        init(_ metric: CountedMetric) {
            self.metric = metric
            occurrences = chains.map { _, chain in
                chain.plain.life.occurrences(
                    of: metric, in: TruthTests.world.bundleId, catalogue: .simulated,
                    limit: world.limit, instants: days)
            }
        }

        func table(
            _ instants: [Timestamp], _ dimensions: [Dimension] = [],
            _ filters: [Dimension: Set<String?>] = [:]
        ) -> CountTable {
            var table = CountTable(
                metric, instants: instants, dimensions: dimensions, filters: filters)
            for found in occurrences { table.add(found) }
            return table
        }
    }

    private static let books = Dictionary(
        uniqueKeysWithValues: CountedMetric.allCases.map { ($0, Book($0)) })

    /// By interval, and for money by currency; without zeros.
    private static func sums(_ rows: [CountTable.Row], keeping places: [Int]) -> [Place: Amounts] {
        var sums: [Place: Amounts] = [:]
        for row in rows {
            let amounts = row.amounts.filter { $0.value != 0 }
            guard !amounts.isEmpty else { continue }
            let place = Place(from: row.from, group: places.map { row.group[$0] })
            sums[place, default: [:]].merge(amounts, uniquingKeysWith: +)
        }
        return sums
    }

    private typealias Amounts = [String: Int64]

    private struct Place: Hashable {
        var from: Timestamp
        var group: [String?]
    }

    @Test("The groups of any dimension add up to the whole", arguments: CountedMetric.allCases)
    func groups(_ metric: CountedMetric) throws {
        let book = try #require(Self.books[metric])
        let kept = metric.isMoney ? [0] : []
        let whole = Self.sums(book.table(Self.days).rows(), keeping: kept)
        #expect(!whole.isEmpty)
        for dimension in Dimension.allCases {
            let rows = book.table(Self.days, [dimension]).rows()
            #expect(Self.sums(rows, keeping: kept) == whole, "\(metric) by \(dimension)")
        }
        let rows = book.table(Self.days, [.product, .country, .phase]).rows()
        #expect(Self.sums(rows, keeping: kept) == whole)
    }

    @Test("A filter gives exactly the rows of that group", arguments: CountedMetric.allCases)
    func filters(_ metric: CountedMetric) throws {
        let book = try #require(Self.books[metric])
        for dimension in [Dimension.product, .country, .currency, .phase, .offerType] {
            let rows = book.table(Self.days, [dimension]).rows()
            let place = metric.isMoney && dimension != .currency ? 1 : 0
            for value in Set(rows.map { $0.group[place] }) {
                let filtered = book.table(Self.days, [dimension], [dimension: [value]])
                #expect(
                    filtered.rows() == rows.filter { $0.group[place] == value },
                    "\(metric) where \(dimension) is \(value ?? "nothing")")
            }
        }
    }

    @Test(
        "A row does not depend on which other intervals were requested",
        arguments: CountedMetric.allCases)
    func alone(_ metric: CountedMetric) throws {
        let book = try #require(Self.books[metric])
        let rows = book.table(Self.days, [.product]).rows()
        for (from, to) in zip(Self.days, Self.days.dropFirst()).filter({ $0.0 < $0.1 }).prefix(20) {
            let alone = book.table([from, to], [.product]).rows()
            #expect(alone == rows.filter { $0.from == from })
        }
        // Occurrences in two months happened in one of their days.
        guard metric != .active else { return }
        let whole = book.table([Self.days[0], Self.days[60]], [.product]).rows()
        var summed: [[String?]: Amounts] = [:]
        for row in rows { summed[row.group, default: [:]].merge(row.amounts, uniquingKeysWith: +) }
        #expect(
            summed.mapValues { $0.filter { $0.value != 0 } }
                == Dictionary(
                    uniqueKeysWithValues: whole.map { row in
                        (row.group, row.amounts.filter { $0.value != 0 })
                    }))
    }

    @Test(
        "A roll-forward's residue is 0 in every day and group, and its filters are its groups",
        arguments: RollForwardQuery.Measure.allCases)
    func rollForwards(_ measure: RollForwardQuery.Measure) {
        func rows(
            _ dimensions: [Dimension], _ filters: [Dimension: Set<String?>] = [:]
        ) -> [RollForwardRow] {
            var sum = RollForward(
                RollForwardQuery(
                    measure, instants: Self.days, dimensions: dimensions, filters: filters))
            for chain in Self.metrics { sum.add(chain) }
            return sum.rows()
        }
        for dimension in Dimension.allCases {
            let found = rows([dimension])
            #expect(!found.isEmpty)
            #expect(found.allSatisfy { $0.residue == 0 }, "\(measure) by \(dimension)")
            let place = measure == .money && dimension != .currency ? 1 : 0
            for value in Set(found.map { $0.group[place] }).prefix(4) where dimension != .reason {
                #expect(
                    rows([dimension], [dimension: [value]])
                        == found.filter { $0.group[place] == value })
            }
        }
    }
}
