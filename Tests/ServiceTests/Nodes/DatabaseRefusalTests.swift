import AppStore
import Foundation
import Intake
import LedgerStore
import LedgerTestSupport
import PostgresSupport
import Projection
import Service
import TestSupport
import Testing

@Suite("Databases that a node does not use", .postgres)
struct DatabaseRefusalTests {
    /// Opening fails with this code, in words without a secret, and begins nothing.
    private func expectRefusal(
        _ code: StoreError.Code, _ place: NodePlace, _ configuration: ServiceConfiguration,
        isNew: Bool = true, _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let error = await #expect(throws: StoreError.self, sourceLocation: location) {
            _ = try await place.open(configuration)
        }
        #expect(error?.code == code, "\(String(describing: error))", sourceLocation: location)
        let text = error?.description ?? ""
        #expect(!text.contains("secret"), sourceLocation: location)
        #expect(!text.contains(PostgresCluster.password), sourceLocation: location)
        if isNew {
            let exists = FileManager.default.fileExists(atPath: configuration.dataDirectory)
            #expect(!exists, sourceLocation: location)
        }
    }

    @Test("A server that does not answer, a wrong password, a missing database")
    func login() async throws {
        let place = try NodePlace()
        let nowhere = "postgresql://log:secret@127.0.0.1:1/postgres"
        try await expectRefusal(
            .databaseUnavailable, place, try place.configuration(1, url: nowhere))
        let locked = PostgresCluster.lockedRole
        let wrong = "postgresql://\(locked):secret@127.0.0.1:\(place.cluster.port)/postgres"
        try await expectRefusal(.databaseRefused, place, try place.configuration(1, url: wrong))
        let missing = place.cluster.url("nosuchdatabase")
        try await expectRefusal(.databaseRefused, place, try place.configuration(1, url: missing))
    }

    @Test("A database found away when a node starts is not asked for what the start can do without")
    func away() async throws {
        let place = try NodePlace()
        try await place.run(count: 1) { _ in }
        let proxy = try CuttingProxy(to: place.cluster.port)
        proxy.refuse(true)
        try await Gate.ledgers.pass {
            let host = try await place.open(try place.configuration(1, port: proxy.port))
            // The log, the operational state and the end of the log.
            let asked = proxy.refusedCount
            #expect(asked <= 3)
            await #expect(throws: StoreError(.databaseUnavailable, reason: "", remedy: "")) {
                _ = try await host.ledger(.production).lastArrivals(of: [])
            }
            #expect(proxy.refusedCount == asked)
            host.stop()
            await host.run()
        }
        proxy.end()
    }

    @Test("A role without rights; the password comes from a file")
    func rights() async throws {
        let place = try NodePlace()
        let file = place.directory.file("passwords")
        try "*:*:*:*:\(PostgresCluster.password)\n".write(
            toFile: file, atomically: true, encoding: .utf8)
        chmod(file, 0o600)
        let url = """
            host=127.0.0.1 port=\(place.cluster.port) user=\(PostgresCluster.lockedRole) \
            dbname=postgres passfile=\(file)
            """
        try await expectRefusal(.databaseRefused, place, try place.configuration(1, url: url))
    }

    @Test("Another ledger, a newer schema, a schema of another program")
    func schemas() async throws {
        let (place, other) = (try NodePlace(), try NodePlace())
        try await place.run(count: 1) { _ in }
        try await other.run(count: 1) { _ in }
        try await expectRefusal(
            .fileForeign, place, try place.configuration(1, schema: other.schema), isNew: false)
        try await other.sql(
            """
            INSERT INTO \(other.productionSchema).migrations (version, name, checksum)
            SELECT max(version) + 1, 'V9999_later', '\\x00' FROM \(other.productionSchema).migrations
            """)
        try await expectRefusal(.fileNewer, place, try place.configuration(2, schema: other.schema))
        let foreign = PostgresCluster.newName()
        try await place.sql(
            "CREATE SCHEMA \(foreign)_production; CREATE TABLE \(foreign)_production.a (b int)")
        try await expectRefusal(.fileForeign, place, try place.configuration(2, schema: foreign))
        #expect(
            try await place.sql(
                "SELECT count(*) FROM pg_tables WHERE schemaname = '\(foreign)_production'") == "1")
    }

    @Test("A log that went back: nothing is appended to it")
    func wentBack() async throws {
        let place = try NodePlace()
        let chain = MadeChain()
        try await place.run(count: 1) { nodes in
            for delivery in chain.life { _ = try await nodes[0].post(delivery) }
        }
        // As after a failover to a standby that was behind.
        let schema = place.productionSchema
        for table in ["events", "evidence"] {
            try await place.sql(
                """
                ALTER TABLE \(schema).\(table) DISABLE TRIGGER USER;
                DELETE FROM \(schema).\(table) WHERE position = 4;
                ALTER TABLE \(schema).\(table) ENABLE TRIGGER USER
                """)
        }
        try await expectRefusal(
            .logWentBack, place, try place.configuration(1), isNew: false)
        // Without its memory the derived data still knows.
        try FileManager.default.removeItem(
            atPath: try place.configuration(1).dataDirectory + "/production/node.json")
        try await expectRefusal(
            .logWentBack, place, try place.configuration(1), isNew: false)
    }
}
