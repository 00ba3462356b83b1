import AppStore
import Foundation
import GRDB
import Ledger
import Migrations
import Simulator
import TestSupport
import Testing

@testable import LedgerStore
@testable import SQLiteStore

/// Sums by day and month, compared with the contributions they are derived from.
@Suite("Stored sums of movements")
struct MovementSumTests {
    private let directory: TemporaryDirectory
    private static let rows = SimulatedChains.someRows
    private let chains = SimulatedChains.some

    init() throws { directory = try TemporaryDirectory() }

    private static let tables = [
        MovementTable.classes, MovementTable.days, MovementTable.months, "newest_fact",
        MovementTable.calendar,
    ]

    private func bulk(
        _ name: String, _ rows: [ChainRows], keeping keptCount: Int = MovementChanges.cellCount
    ) throws -> String {
        let file = try ProjectionsBuild(
            path: directory.file(name), build: ProjectionsStore.Build(catalogueHash: "none"),
            keptCount: keptCount)
        var count: Int64 = 0
        for start in stride(from: 0, to: rows.count, by: 7) {
            let page = Array(rows[start..<min(start + 7, rows.count)])
            try file.append(EncodedRows(page, firstSubscription: count + 1))
            count += Int64(page.count)
        }
        try file.finish(checkpoint: .start)
        return file.path
    }

    /// The rows of the tables of sums as text, and pending movements by chain.
    private func dump(_ path: String) throws -> [String] {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.read { database in
            var lines: [String] = []
            for table in MovementSumTests.tables {
                for row in try Row.fetchAll(database, sql: "SELECT * FROM \(table)") {
                    lines.append("\(table) \(row)")
                }
            }
            let pending = try Row.fetchAll(
                database,
                sql: """
                    SELECT s.original_transaction_id, s.bundle_id, p.at, p.seq, p.before_class,
                        p.after_class, p.label
                    FROM pending_movements AS p JOIN subscriptions AS s ON s.id = p.subscription
                    ORDER BY 1, 2, 3, 4
                    """)
            return lines + pending.map { "pending \($0)" }
        }
    }

    private func findings(_ path: String) throws -> [String] {
        let scratch = try TemporaryDirectory()
        return try MovementCheck.findings(path: path, days: .utc, directory: scratch.path)
    }

    // MARK: The same sums

    @Test("Sums updated in any order equal those built in bulk")
    func equalToUpdates() async throws {
        let built = try bulk("built.sqlite", Self.rows)
        let seed: UInt64 = 23
        var chance = SeededGenerator(seed: seed)
        let store = try ProjectionsStore(path: try bulk("updated.sqlite", []))
        // Each chain with its facts in any order, one more at a time, several chains at once.
        let orders = chains.map { ($0.id, $0.facts.shuffled(using: &chance)) }
        for count in 1...(orders.map(\.1.count).max() ?? 1) {
            let grown = orders.filter { count <= $0.1.count }.map {
                SimulatedChains.rows($0.0, $0.1.prefix(count))
            }
            for batch in [grown.prefix(grown.count / 3), grown.dropFirst(grown.count / 3)] {
                try await store.update(batch.shuffled(using: &chance), checkpoint: .start)
            }
        }
        try store.close()
        #expect(try dump(built).count > 100)
        #expect(try dump(store.path) == dump(built), "seed \(seed)")
        #expect(try findings(built).isEmpty)
        #expect(try findings(store.path).isEmpty)
    }

    @Test("Sums that do not fit in memory are written in batches")
    func batches() throws {
        let large = try dump(try bulk("large.sqlite", Self.rows))
        for keptCount in [0, 1, 50] {
            let small = try bulk("\(keptCount).sqlite", Self.rows, keeping: keptCount)
            #expect(try dump(small) == large, "\(keptCount)")
            #expect(try findings(small).isEmpty, "\(keptCount)")
        }
    }

    @Test("Months are the sums of their days, each in the part given by its classes")
    func months() async throws {
        let path = try bulk("p.sqlite", Self.rows)
        let store = try ProjectionsStore(path: path)
        let whole = Timestamp(milliseconds: .min)..<ReportDays.end
        let byDay = try #require(await store.movements(MovementPlan(days: [whole]))).sums
        let byMonth = try #require(await store.movements(MovementPlan(months: [whole]))).sums
        var (expected, found): ([MovementCell: Int64], [MovementCell: Int64]) = ([:], [:])
        var month: Int64 = 0
        try byDay.forEach(
            beginning: { month = ReportDays.utc.day($0)?.month.milliseconds ?? 0 },
            adding: { expected[MovementCell(from: month, movement: $0), default: 0] += $1 })
        try byMonth.forEach(
            beginning: { month = $0.milliseconds },
            adding: { movement, chains in
                let cell = MovementCell(from: month, movement: movement)
                #expect(found.updateValue(chains, forKey: cell) == nil)
            })
        #expect(found == expected && found.count > 30)
        try store.close()
        let queue = try DatabaseQueue(path: path)
        let rows = try queue.read { database in
            try Row.fetchAll(database, sql: "SELECT part, sums FROM movements_by_month")
        }
        for row in rows {
            let (part, body): (Int64, [UInt8]) = (row["part"], [UInt8](row["sums"] as Data))
            let isThere = (0..<MonthPart.count).contains(part)
            #expect(try isThere && body == MonthPart.body(changed: sums(body)))
            #expect(try sums(body).keys.allSatisfy { MonthPart.number(of: $0) == part })
        }
    }

    private func sums(_ body: [UInt8]) throws -> [SummedMovement: Int64] {
        var sums: [SummedMovement: Int64] = [:]
        let result = body.withUnsafeBytes { bytes in
            Result { () throws(FactReader.Damage) in
                try SumCodec.forEach(bytes) { sums[$0] = $1 }
            }
        }
        try result.get()
        return sums
    }

    @Test("Packed sums round-trip, and truncated ones are damage")
    func packed() throws {
        let movements: [(SummedMovement, Int64)] = [
            (SummedMovement(before: 0, after: .max, label: 1), 1),
            (SummedMovement(before: .min, after: 0, label: 23), .max),
            (SummedMovement(before: -1, after: 7, label: 0), -3),
        ]
        var writer = FactWriter()
        for (movement, chains) in movements {
            SumCodec.append(movement, chains: chains, to: &writer)
        }
        #expect(try sums(writer.bytes) == Dictionary(uniqueKeysWithValues: movements))
        var single = FactWriter()
        SumCodec.append(movements[2].0, chains: 5, to: &single)
        for count in 1..<single.bytes.count {
            #expect(throws: FactReader.Damage.self) { try sums(Array(single.bytes.prefix(count))) }
        }
        #expect(try MonthPart.body(changed: [movements[0].0: 0]).isEmpty)
    }

    // MARK: Damage

    private static let damages = [
        (
            "UPDATE movements_by_day SET chains = chains + 1"
                + " WHERE from_at = (SELECT max(from_at) FROM movements_by_day)", "movements_by_day"
        ),
        ("DELETE FROM movements_by_month", "movements_by_month"),
        ("UPDATE movements_by_month SET sums = zeroblob(length(sums))", "movements_by_month"),
        ("UPDATE metric_classes SET storefront = 'XXX'", "metric_classes"),
        ("UPDATE metric_classes SET uses = uses + 1", "metric_classes"),
        ("DELETE FROM metric_classes", "metric_classes"),
        (
            "DELETE FROM metric_classes WHERE id = (SELECT max(id) FROM metric_classes)",
            "metric_classes"
        ),
        ("UPDATE pending_movements SET label = 23 - label", "pending_movements"),
        ("UPDATE report_days SET date = '2026-02-31'", "report_days"),
        ("UPDATE newest_fact SET signed_at = signed_at - 1", "newest_fact"),
        (
            "INSERT INTO movements_by_day SELECT from_at, 77, 77, 0, 1 FROM movements_by_day"
                + " LIMIT 1", "movements_by_day"
        ),
    ]

    @Test("A changed sum, class, pending movement or contribution is found by table")
    func damage() throws {
        let sound = try Data(contentsOf: URL(filePath: bulk("sound.sqlite", Self.rows)))
        for (index, (sql, table)) in Self.damages.enumerated() {
            let path = directory.file("\(index).sqlite")
            try sound.write(to: URL(filePath: path))
            let queue = try DatabaseQueue(path: path)
            try queue.write { try $0.execute(sql: sql) }
            try queue.close()
            #expect(try findings(path) == [table], "\(sql)")
        }
    }

    @Test("A file whose sums use other days is not written to")
    func otherDays() async throws {
        let store = try ProjectionsStore(path: try bulk("p.sqlite", []))
        let rows = SimulatedChains.rows(chains[0].id, chains[0].facts)
        let days = ReportDays(name: "Mars") { ReportDays.utc.day($0) ?? ReportDay.empty }
        await #expect(throws: StoreError(.fileChanged, reason: "", remedy: "")) {
            try await store.update([rows], checkpoint: .start, days: days)
        }
        #expect(try await store.contributions(after: 0) == nil)
        try store.close()
    }

    // MARK: Codec

    @Test("A contribution round-trips")
    func codec() throws {
        let times: [Int64] = [0, -5, .max, .min, 1_700_000_000_000]
        var expected: [StoredMovement] = []
        var before: Int64 = 0
        for (index, at) in times.enumerated() {
            let after: Int64 = [.max, .min, 0, 7, .max][index]
            let label = MovementLabel.all[index * 2].code
            expected.append(StoredMovement(at: at, before: before, after: after, label: label))
            before = after
        }
        let bytes = ContributionCodec.encode(expected)
        #expect(try ContributionCodec.movements(bytes) == expected)
        #expect(try ContributionCodec.movements([]).isEmpty)
        for count in 1..<bytes.count {
            #expect(throws: FactReader.Damage.self) {
                try ContributionCodec.movements(Array(bytes.prefix(count)))
            }
        }
        #expect(throws: FactReader.Damage.self) { try ContributionCodec.movements(bytes + [0]) }
    }

    @Test("Every label has a distinct code, and is decoded from it")
    func labels() {
        let codes = MovementLabel.all.map(\.code)
        #expect(Set(codes).count == codes.count)
        #expect(codes.map { MovementLabel(code: $0) } == MovementLabel.all)
        #expect(MovementLabel(code: 6) == nil && MovementLabel(code: 24) == nil)
    }

    @Test("A class round-trips, and any other class has a different number")
    func classes() throws {
        let app = BundleId("a")
        let offer = Offer(
            type: Raw(rawValue: 9), identifier: "", discountType: Raw(rawValue: "NEW"))
        func values(storefront: String?) -> DimensionValues {
            DimensionValues(
                app: app, product: ProductId(""), storefront: storefront, offer: offer,
                phase: .trial, ownership: .other("LENT"))
        }
        let all = [
            CountedClass(values: DimensionValues(app: app), annualised: nil, isInferred: false),
            CountedClass(
                values: DimensionValues(app: app, product: ProductId("")), annualised: nil,
                isInferred: true),
            CountedClass(values: values(storefront: nil), annualised: -1, isInferred: false),
            CountedClass(
                values: values(storefront: "cafe\u{301}"), annualised: 0, isInferred: false),
            CountedClass(
                values: values(storefront: "caf\u{E9}"), annualised: 0, isInferred: false),
        ]
        let queue = try DatabaseQueue()
        let stored = try queue.write { database in
            try database.execute(sql: DerivedSchema.projections)
            for counted in all {
                try MovementTable.insert(
                    ClassCodec.number(of: counted), uses: 1, counted, database)
            }
            return try MovementTable.classTable(database)
        }
        #expect(all.map { stored[ClassCodec.number(of: $0)] } == all)
        let numbers = ClassNumbers()
        #expect(Set(all.map { numbers.number(of: $0) }).count == all.count)
        #expect(all.map { numbers.number(of: $0) } == all.map { ClassCodec.number(of: $0) })
    }

    @Test("Days end where sums end, and earlier movements are stored under the first day")
    func bounds() {
        let end = ReportDays.end
        #expect(ReportDays.utc.day(end) == nil)
        #expect(ReportDays.utc.day(end.advanced(byMilliseconds: -1))?.end == end)
        let first = ReportDays.utc.day(ReportDays.beginning)
        #expect(ReportDays.utc.day(Timestamp(milliseconds: .min)) == first)
        #expect(first?.start == ReportDays.beginning)
    }
}

extension ReportDay {
    fileprivate static let empty = ReportDay(
        start: ReportDays.beginning, end: ReportDays.end, month: ReportDays.beginning,
        date: "")
}
