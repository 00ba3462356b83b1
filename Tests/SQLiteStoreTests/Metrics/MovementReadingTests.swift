import AppStore
import Ledger
import TestSupport
import Testing

@testable import LedgerStore
@testable import SQLiteStore

@Suite("Reading stored movements")
struct MovementReadingTests {
    private let directory: TemporaryDirectory
    private let store: ProjectionsStore
    private let rows = SimulatedChains.someRows

    private static let all = MovementPlan(
        months: [Timestamp(milliseconds: .min)..<ReportDays.end],
        days: [Timestamp(milliseconds: .min)..<ReportDays.end],
        pending: Timestamp(milliseconds: .min)..<ReportDays.end)

    init() throws {
        directory = try TemporaryDirectory()
        let file = try ProjectionsBuild(
            path: directory.file("p.sqlite"), build: ProjectionsStore.Build(catalogueHash: "none"))
        try file.append(EncodedRows(rows))
        try file.finish(checkpoint: ProjectionCursor(position: 7, leafHash: nil))
        store = try ProjectionsStore(path: file.path)
    }

    @Test("Sums up to the byte limit are read, and none beyond it")
    func limit() async throws {
        let all = try #require(await store.movements(MovementReadingTests.all))
        #expect(all.position == 7 && all.hasChains && !all.pending.isEmpty)
        let count = all.sums.byteCount + all.pending.byteCount
        #expect(try await store.movements(MovementReadingTests.all, limit: count) != nil)
        #expect(try await store.movements(MovementReadingTests.all, limit: count - 1) == nil)
    }

    @Test("Every sum refers to stored classes, and all sums match the contributions")
    func contents() async throws {
        let all = try #require(await store.movements(MovementReadingTests.all))
        var found: [SummedMovement: Int64] = [:]
        try all.sums.forEach(
            beginning: { _ in }, adding: { found[$0, default: 0] += $1 })
        let named = Set(found.keys.flatMap { [$0.before, $0.after] }).subtracting([0])
        #expect(named == Set(all.classes.sortedNumbers) && !named.isEmpty)
        var expected: [SummedMovement: Int64] = [:]
        let page = try #require(await store.contributions(after: 0))
        try page.readChains { chain in
            for movement in chain.movements { expected[SummedMovement(movement), default: 0] += 1 }
        }
        // By day and by month: each counts twice.
        #expect(found == expected.mapValues { $0 * 2 })
        #expect(try await store.metricClasses() == all.classes)
    }

    @Test("Parts cover all sums, each time in one part, however many are wanted")
    func parts() throws {
        var sums = PackedSums()
        for time in 0..<40 as Range<Int64> {
            for number in 1...(time % 7 == 0 ? 9_000 : 900) as ClosedRange<Int64> {
                let movement = SummedMovement(before: number, after: -number, label: 0)
                sums.append(movement, chains: time, at: time)
            }
        }
        var whole: [Int64] = []
        try sums.forEach(
            beginning: { whole.append($0.milliseconds) },
            adding: { whole.append($0.before + $1) })
        #expect(whole.count > 60_000)
        for count in [1, 2, 3, 64] {
            let parts = sums.parts(count)
            #expect(parts.count == (count == 64 ? 1 : count))
            #expect(parts.flatMap { Array($0) } == Array(0..<40))
            var pieces: [Int64] = []
            for part in parts {
                try sums.forEach(
                    in: part, beginning: { pieces.append($0.milliseconds) },
                    adding: { pieces.append($0.before + $1) })
            }
            #expect(whole == pieces, "\(count) parts")
            #expect(PackedSums().parts(count).flatMap { Array($0) } == [])
        }
    }

    @Test("A contribution holds the first and the last arrival of its chain's events")
    func times() async throws {
        let facts = Dictionary(
            uniqueKeysWithValues: SimulatedChains.some.map { ($0.id, $0.facts) })
        let page = try #require(await store.contributions(after: 0))
        var read: [ContributionPage.Chain] = []
        try page.readChains { read.append($0) }
        #expect(read.count == rows.count)
        for (chain, row) in zip(read, rows) {
            let facts = try #require(facts[row.chain])
            #expect(chain.firstPosition == facts.map(\.position).min())
            #expect(chain.lastPosition == facts.map(\.position).max())
            #expect(chain.firstReceivedAt == facts.map(\.receivedAt).min())
            #expect(chain.receivedAt == facts.map(\.receivedAt).max())
        }
    }

    @Test("Pages of any length return every chain once, in order", arguments: [1, 2, 7, 1_000])
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

    @Test("Whether an app has chains")
    func apps() async throws {
        #expect(try await store.hasChains(of: SimulatedChains.app))
        #expect(try await !store.hasChains(of: BundleId("com.example.none")))
    }

    @Test("Classes are cached up to the limit, and computed again beyond it")
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
