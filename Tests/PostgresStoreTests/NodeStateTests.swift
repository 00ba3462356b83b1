import AppStore
import Foundation
import LedgerStore
import PostgresSupport
import Synchronization
import TestSupport
import Testing

@testable import PostgresStore

/// What nodes tell each other, and what they remember.
@Suite("Nodes of a log in PostgreSQL", .postgres)
struct NodeStateTests {
    @Test("An append wakes the other nodes, not its own; a lost connection is replaced")
    func notices() async throws {
        let database = try Database()
        let proxy = try CuttingProxy(to: database.cluster.port)
        let writer = try await database.open()
        let reader = try await database.open(port: proxy.port)
        let own = Flag()
        writer.onAppend { own.set() }
        let wakes = Atomic(0)
        reader.onAppend { wakes.add(1, ordering: .relaxed) }
        var number = 0
        // The second time on another connection.
        for _ in 0..<2 {
            let before = wakes.load(ordering: .relaxed)
            while wakes.load(ordering: .relaxed) == before {
                number += 1
                _ = try await writer.append([try Made.event("n\(number)")])
                try await Task.sleep(for: .milliseconds(20))
            }
            proxy.cutAll()
        }
        #expect(!own.isSet)
        await writer.close()
        await reader.close()
        proxy.end()
    }

    @Test("Nodes and the leases that they hold are listed")
    func listed() async throws {
        let database = try Database()
        let stores = try await [
            PostgresOperations.open(database.place(), environment: .production, node: "a"),
            PostgresOperations.open(database.place(), environment: .production, node: "b"),
        ]
        #expect(try await stores[0].nodes().isEmpty)
        try await stores[0].noteNode(at: 5)
        try await stores[1].noteNode(at: 7)
        try await stores[0].noteNode(at: 6)
        let nodes = try await stores[1].nodes()
        #expect(nodes.map(\.id) == ["a", "b"] && nodes.map(\.position) == [6, 7])
        #expect(nodes.allSatisfy { !$0.name.isEmpty && $0.silentMilliseconds >= 0 })
        let lease = try #require(try await stores[1].lease(.feedClock))
        let leases = try await stores[0].leases()
        // Where this process stood still for as long as a lease lives, it is listed as free.
        if lease.isHeld { #expect(leases.map(\.node) == ["b"]) }
        #expect(leases.map(\.task) == ["feedClock"])
        withExtendedLifetime(lease) {}
        // The database's clock went back: whether the node runs is not known until it says so.
        try database.sql(
            """
            UPDATE \(database.schema).nodes SET seen_at = clock_timestamp() + interval '1 hour'
            WHERE id = 'b'
            """)
        #expect(try await stores[0].nodes().map(\.id) == ["a"])
        try await stores[1].noteNode(at: 7)
        #expect(try await stores[0].nodes().map(\.id) == ["a", "b"])
        for store in stores { await store.close() }
    }

    @Test("A node's memory is written when it opens, at a checkpoint and at the end")
    func memory() async throws {
        let database = try Database()
        let directory = FileManager.default.temporaryDirectory.path + "/node-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        func position() throws -> Int64? { try NodeMemory(directory: directory)?.seen.position }
        let engine = PostgresEngine(
            try #require(ConnectionString(database.cluster.url(database.name))),
            schema: database.schema)
        var opened = try await engine.open(.production, directory: directory, seen: .start)
        let node = try NodeMemory(directory: directory)?.node
        #expect(try position() == 0 && node?.count == 8)
        _ = try await opened.log.append(Made.events(0..<3))
        #expect(try position() == 0)
        try await opened.log.checkpoint()
        #expect(try position() == 3)
        _ = try await opened.log.append(Made.events(3..<4))
        await opened.close()
        #expect(try position() == 4)
        opened = try await engine.open(.production, directory: directory, seen: .start)
        #expect(try NodeMemory(directory: directory)?.node == node)
        // Nor does a head that went back pass while the node runs.
        let schema = "\(database.schema)_production"
        try database.sql(
            """
            ALTER TABLE \(schema).events DISABLE TRIGGER USER;
            DELETE FROM \(schema).events WHERE position = 4
            """)
        await #expect(throws: failure(.logWentBack)) { try await opened.log.head() }
        await opened.close()
        // A node that knows its ledger opens it, and is refused on first use.
        opened = try await engine.open(.production, directory: directory, seen: .start)
        await #expect(throws: failure(.logWentBack)) { try await opened.log.head() }
        await #expect(throws: failure(.logWentBack)) {
            try await opened.log.append(Made.events(4..<5))
        }
        await opened.close()
        // A database that is away is not accepted.
        let nowhere = PostgresEngine(
            try #require(ConnectionString(database.cluster.url(database.name, port: 1))),
            schema: database.schema)
        await #expect(throws: failure(.databaseUnavailable)) {
            try await nowhere.open(.production, directory: directory, seen: nil)
        }
        #expect(try position() == 4)
        let accepted = try await engine.open(.production, directory: directory, seen: nil)
        _ = try await accepted.log.head()
        await accepted.close()
        try Data("{}".utf8).write(to: URL(filePath: NodeMemory.path(in: directory)))
        await #expect(throws: failure(.fileCorrupt)) {
            try await engine.open(.production, directory: directory, seen: .start)
        }
    }
}
