import AppStore
import GRDB
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerStore
@testable import SQLiteStore

@Suite("Lookups by id in the projections")
struct ProjectionsSearchTests {
    private let directory: TemporaryDirectory
    private let store: ProjectionsStore

    init() throws {
        directory = try TemporaryDirectory()
        let file = try ProjectionsBuild(
            path: directory.file("p.sqlite"), build: ProjectionsStore.Build(catalogueHash: "none"))
        try file.append(EncodedRows(SimulatedChains.someRows))
        try file.finish(checkpoint: .start)
        store = try ProjectionsStore(path: file.path)
    }

    /// Every statement of a lookup.
    private static let lookups: [String] =
        [
            ProjectionsStore.customer, ProjectionsStore.customerOfApp,
            ProjectionsStore.nextCustomer, ProjectionsStore.numbered,
        ]
        + ProjectionsStore.IdRange.allCases.flatMap {
            [
                $0.chains, $0.rows(ChainRows.TransactionRow.self),
                $0.rows(ChainRows.OrderLineRow.self),
            ]
        }

    @Test("No lookup scans a table")
    func plans() async throws {
        for lookup in Self.lookups {
            let steps = try await store.read { database in
                let count = lookup.count { $0 == "?" }
                return try Row.fetchAll(
                    database, sql: "EXPLAIN QUERY PLAN " + lookup,
                    arguments: StatementArguments(Array(repeating: "x", count: count))
                ).map { $0["detail"] as String }
            }
            #expect(!steps.isEmpty, "\(lookup)")
            #expect(steps.allSatisfy { $0.hasPrefix("SEARCH ") }, "\(lookup): \(steps)")
        }
    }

    @Test("What an event decided is found by its chain, up to a moment and a number")
    func decided() async throws {
        let chain = try #require(SimulatedChains.some.first { $0.facts.count > 2 })
        let life = Lifecycle(chain.facts, environment: .production, catalogue: Catalogue())
        var count = 0
        for position in chain.facts.map(\.position) {
            var expected = life.intervals.filter { life.cause(of: $0) == position }.map {
                DecidedChange(.state($0.state), at: $0.from)
            }
            expected += life.timelineEvents.filter { $0.cause == position }.map {
                DecidedChange(.fact($0.name), at: $0.at)
            }
            let end = Timestamp(milliseconds: .max)
            let found = try await store.decided(
                by: position, of: chain.id, through: end, limit: 100)
            #expect(Set(found) == Set(expected) && found.count == expected.count)
            guard let first = found.first else { continue }
            count += found.count
            let begun = try await store.decided(
                by: position, of: chain.id, through: first.at, limit: 100)
            #expect(Set(begun) == Set(found.filter { $0.at == first.at }))
            let one = try await store.decided(
                by: position, of: chain.id, through: end, limit: 1)
            #expect(one.map(\.at) == [first.at])
            let elsewhere = try await store.decided(
                by: position, of: SimulatedChains.id(SimulatedChains.app, "none"), through: end,
                limit: 100)
            #expect(elsewhere.isEmpty)
        }
        #expect(count > 0)
    }

    @Test("A customer of many chains is found once, and a filter examines a bounded number")
    func bounded() async throws {
        let count = ProjectionsStore.examinedCount
        try await store.write { database in
            for number in 1...(count + 1) {
                try database.execute(
                    sql: """
                        INSERT INTO subscriptions (id, bundle_id, original_transaction_id,
                            meets_minimum_trust, facts, last_position)
                        VALUES (?, 'app.many', ?, 1, 1, 1)
                        """, arguments: [100_000 + number, "zz\(10_000 + number)"])
                try database.execute(
                    sql: "INSERT INTO holdings VALUES ('zz-one', ?, 1, x'')",
                    arguments: [100_000 + number])
            }
        }
        let all = try await store.things(beginning: "zz", limit: 3)
        #expect(all.hasMore)
        #expect(
            all.found.filter { $0 == .customer(CustomerId("zz-one")) }.count == 1)
        #expect(all.found.count == 4)
        let other = try await store.things(
            beginning: "zz1", bundleId: BundleId("app.other"), limit: 3)
        #expect(other.found.isEmpty && other.hasMore)
        let few = try await store.things(
            beginning: "zz1020", bundleId: BundleId("app.other"), limit: 3)
        #expect(few.found.isEmpty && !few.hasMore)
    }
}
