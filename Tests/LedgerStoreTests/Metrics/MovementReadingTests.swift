import AppStore
import Ledger
import Testing

@testable import LedgerStore

@Suite("Reading stored movements")
struct MovementReadingTests {
    private let directory: TemporaryDirectory
    private let store: ProjectionsStore
    private let rows: [ChainRows]

    private static let all = MovementPlan(
        months: [Timestamp(milliseconds: .min)..<ReportDays.end],
        days: [Timestamp(milliseconds: .min)..<ReportDays.end],
        pending: Timestamp(milliseconds: .min)..<ReportDays.end)

    init() throws {
        directory = try TemporaryDirectory()
        let file = try ProjectionsBuild(
            path: directory.file("p.sqlite"), build: ProjectionsStore.Build(catalogueHash: "none"),
            directory: directory.path)
        rows = SimulatedChains.make(30).map { SimulatedChains.rows($0.id, $0.facts) }
        try file.append(EncodedRows(rows, for: file))
        try file.finish(checkpoint: Checkpoint(position: 7, leafHash: nil))
        store = try ProjectionsStore(path: file.path)
    }

    @Test("As many sums as the limit are read, and one more are none")
    func limit() async throws {
        let all = try #require(await store.movements(MovementReadingTests.all))
        #expect(all.position == 7 && all.hasChains && all.sums.contains { $0.chains < 0 })
        let count = all.sums.count
        #expect(try await store.movements(MovementReadingTests.all, limit: count) != nil)
        #expect(try await store.movements(MovementReadingTests.all, limit: count - 1) == nil)
    }

    @Test("Every sum names classes that are there, and together they are what contributions say")
    func contents() async throws {
        let all = try #require(await store.movements(MovementReadingTests.all))
        let named = Set(
            all.sums.flatMap { [$0.movement.before, $0.movement.after] }.compactMap(\.self))
        #expect(named.isSubset(of: all.classes.keys) && !named.isEmpty)
        var expected: [ClassMovement<Int64>: Int64] = [:]
        let page = try #require(await store.contributions(after: 0))
        try page.readChains { chain in
            for (_, movement) in chain.movements { expected[movement, default: 0] += 1 }
        }
        var found: [ClassMovement<Int64>: Int64] = [:]
        for sum in all.sums where sum.chains > 0 { found[sum.movement, default: 0] += sum.chains }
        // By day and by month: each counts twice.
        #expect(found == expected.mapValues { $0 * 2 })
        #expect(try await store.metricClasses() == all.classes)
    }

    @Test("Pages of any length hand out every chain once, in order", arguments: [1, 2, 7, 1_000])
    func pages(_ limit: Int) async throws {
        var (after, seen): (Int64, [Int64]) = (0, [])
        while let page = try await store.contributions(after: after, limit: limit) {
            try page.readChains { seen.append($0.subscription) }
            #expect(page.last == seen.last && page.end == Int64(rows.count))
            after = page.last
        }
        #expect(seen == Array(1...Int64(rows.count)))
        let chains = try await store.chains(numbered: seen)
        #expect(chains == rows.map(\.chain))
        #expect(try await store.chains(numbered: [0, 99_999]).isEmpty)
    }

    @Test("A contribution that cannot be read is damage, not a smaller number")
    func damage() async throws {
        let row = try #require(rows.first { $0.contribution?.body.isEmpty == false })
        let before = try #require(row.contribution)
        for body in [[UInt8](before.body.dropLast()), before.body + [1], [0xFF, 0xFF]] {
            #expect(throws: FactReader.Damage.self) { try ContributionCodec.movements(body) }
        }
    }

    @Test("Whether an app has chains")
    func apps() async throws {
        #expect(try await store.hasChains(of: SimulatedChains.app))
        #expect(try await !store.hasChains(of: BundleId("com.example.none")))
    }

    @Test("Classes are remembered up to the limit; beyond it they are found again")
    func remembered() {
        let numbers = ClassNumbers(limit: 3)
        func counted(_ price: Int64) -> CountedClass {
            CountedClass(
                values: DimensionValues(app: SimulatedChains.app), annualised: price,
                isInferred: false)
        }
        let first = (0..<3 as Range<Int64>).map { numbers.number(of: counted($0)) }
        #expect(numbers.count == 3)
        _ = numbers.number(of: counted(3))
        #expect(numbers.count == 1)
        #expect((0..<3 as Range<Int64>).map { numbers.number(of: counted($0)) } == first)
    }
}
