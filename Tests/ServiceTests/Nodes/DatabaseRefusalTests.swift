import AppStore
import Foundation
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import PostgresSupport
import Projection
import Proofs
import Queries
import TestSupport
import Testing

@testable import Service

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

    @Test("Without an engine: an application that embeds the ledger has to set it")
    func engine() async throws {
        let place = try NodePlace()
        var configuration = try place.configuration(1)
        configuration.ledger.database?.engine = nil
        let error = await #expect(throws: StoreError.self) {
            _ = try await place.open(configuration)
        }
        #expect(error?.code == .databaseRefused)
        #expect(error?.remedy.contains("ledger.database.engine") == true)
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

    @Test("A node starts while its log went back, answers, and appends nothing until it is back")
    func wentBack() async throws {
        let place = try NodePlace()
        let chain = MadeChain()
        try await place.run(count: 1) { nodes in
            try await nodes[0].live(chain)
        }
        // As after a failover to a standby that was behind.
        let schema = place.productionSchema
        try await place.changeEvents(
            "CREATE TABLE \(schema).seen AS SELECT leaf_hash FROM \(schema).events WHERE position = 4",
            "UPDATE \(schema).events SET leaf_hash = sha256(leaf_hash) WHERE position = 4")
        try await place.run(count: 1) { nodes in
            let ledger = try nodes[0].ledger(.production)
            try await until { ledger.projectedPosition == 4 }
            #expect(ledger.catchingUp == nil && ledger.age != nil && !ledger.isCurrent)
            #expect(await ledger.obstacleCode() == "logWentBack")
            let answer = try await nodes[0].subscription(chain.id, QueryScope())
            #expect(answer.position == 4)
            let refusal = await #expect(throws: IntakeRefusal.self) {
                _ = try await nodes[0].post(MadeChain(id: "500000000000002").bought())
            }
            #expect(refusal?.standing == .unavailable && refusal?.code == "logWentBack")
            try await place.changeEvents(
                """
                UPDATE \(schema).events SET leaf_hash = (SELECT leaf_hash FROM \(schema).seen)
                WHERE position = 4
                """, "DROP TABLE \(schema).seen")
            try await until {
                let code = await ledger.obstacleCode()
                return code == nil && ledger.age == nil
            }
            #expect(try await nodes[0].post(MadeChain(id: "500000000000002").bought()) == 5)
        }
    }

    @Test("A node whose log went back returns no evidence of the log there now; its audit reads it")
    func evidence() async throws {
        let place = try NodePlace()
        let chain = MadeChain()
        try await place.run(count: 1) { nodes in
            try await nodes[0].live(chain)
            _ = try await nodes[0].chainEvents(chain.id, QueryScope(), after: 0, limit: 10)
            let ledger = try nodes[0].ledger(.production).ledger
            let audit = Audit(
                log: ledger.log, directory: ledger.directory, environment: .production)
            #expect(try await audit.verify(verifier: nil).isSound)
            let schema = place.productionSchema
            try await place.changeEvents(
                "UPDATE \(schema).events SET leaf_hash = sha256(leaf_hash) WHERE position = 4")
            // Not even of the positions before it.
            await #expect(throws: StoreError(.logWentBack, reason: "", remedy: "")) {
                _ = try await nodes[0].chainEvents(chain.id, QueryScope(), after: 0, limit: 1)
            }
            let answer = try await nodes[0].subscription(chain.id, QueryScope())
            #expect(answer.position == 4)
            try await place.changeEvents(
                "ALTER TABLE \(schema).evidence DISABLE TRIGGER USER",
                "UPDATE \(schema).evidence SET bytes = NULL WHERE position = 1",
                "ALTER TABLE \(schema).evidence ENABLE TRIGGER USER")
            let report = try await audit.verify(verifier: nil)
            #expect(report.projectionsMatch == false && !report.isSound)
            #expect(report.log.findings.contains(LogFinding(.evidenceErased, at: 1)))
            let foreign = try await Audit(
                log: ledger.log, directory: ledger.directory, environment: .sandbox
            ).foreignEvidence()
            #expect(foreign?.code == "wrongEnvironment")
        }
    }

    /// The result of an audit that an operator starts on a node whose log went back.
    private func audited(_ node: LedgerHost, key: String) async throws -> AuditRun.Found? {
        let order = CommandIntake.Order(actor: "sara", tokenName: nil, reason: "r", key: key)
        _ = try await node.startAudit(order, .production)
        try await until { try await node.audit(.production).running == nil }
        let standing = try await node.audit(.production)
        #expect(standing.head == nil)
        guard case .finished(let found) = standing.last?.state else { return nil }
        return found
    }

    /// Copies the head of a log of two events, for `goBack`.
    private func rememberHead(_ place: NodePlace) async throws {
        let schema = place.productionSchema
        try await place.sql("CREATE TABLE \(schema).earlier AS SELECT * FROM \(schema).head")
    }

    /// The log loses all events but the first two.
    private func goBack(_ place: NodePlace) async throws {
        let schema = place.productionSchema
        try await place.changeEvents(
            "ALTER TABLE \(schema).evidence DISABLE TRIGGER USER",
            "DELETE FROM \(schema).evidence WHERE position > 2",
            "ALTER TABLE \(schema).evidence ENABLE TRIGGER USER",
            "DELETE FROM \(schema).events WHERE position > 2",
            """
            UPDATE \(schema).head SET (position, tree, root, newest_received_at) =
                (SELECT position, tree, root, newest_received_at FROM \(schema).earlier)
            """)
    }

    @Test("An audit that an operator starts reads a log that went back, and compares checkpoints")
    func startedAudit() async throws {
        let place = try NodePlace()
        let chain = MadeChain()
        try await place.run(count: 1) { nodes in
            for delivery in chain.life.prefix(2) { _ = try await nodes[0].post(delivery) }
            try await rememberHead(place)
            for delivery in chain.life.dropFirst(2) { _ = try await nodes[0].post(delivery) }
            _ = try await nodes[0].subscription(chain.id, QueryScope(minPosition: 4))
            let ledger = try nodes[0].ledger(.production).ledger
            let signed = try LogCheckpoint(
                origin: "example.com/log", size: 4, root: try await ledger.log.head().root
            ).signed(by: try NoteSignerKey(name: "example.com/log"))
            try await ledger.operations.keep(
                StoredCheckpoint(size: 4, note: signed.note, signedAt: place.clock.now))
            try await goBack(place)
            let found = try #require(try await audited(nodes[0], key: "1"))
            #expect(found.report.log.eventCount == 2 && found.report.projectionsMatch == false)
            #expect(found.checkpoints?.findings.map(\.code) == [.logCut])
        }
        // After a restart the node's own connections cannot even be opened.
        try await place.run(count: 1) { nodes in
            let found = try #require(try await audited(nodes[0], key: "2"))
            #expect(found.report.log.eventCount == 2 && found.report.projectionsMatch == false)
            #expect(found.checkpoints?.findings.map(\.code) == [.logCut])
        }
    }

    @Test(
        "The directory of an embedded log becomes a node's only where the database has its events")
    func embedded() async throws {
        let place = try NodePlace()
        let node = try place.configuration(1)
        var alone = node
        alone.ledger.database = nil
        try await place.run([alone]) { services in
            for delivery in MadeChain().life { _ = try await services[0].post(delivery) }
        }
        let schemas =
            "SELECT count(*) FROM pg_namespace WHERE nspname = '\(place.productionSchema)'"
        for isBegun in [false, true] {
            try await expectRefusal(.fileForeign, place, node, isNew: false)
            await #expect(throws: StoreError(.fileForeign, reason: "", remedy: "")) {
                _ = try await EnvironmentLedger.open(
                    node.ledger, environment: .production, accepting: true)
            }
            guard !isBegun else { continue }
            #expect(try await place.sql(schemas) == "0")
            // By another node.
            try await place.run([try place.configuration(2)]) { _ in }
        }
    }

    @Test("A node without memory of its ledger does not start with a log that went back")
    func wentBackUnknown() async throws {
        let place = try NodePlace()
        let chain = MadeChain()
        try await place.run(count: 1) { nodes in
            try await nodes[0].live(chain)
        }
        try await place.changeEvents(
            "DELETE FROM \(place.productionSchema).events WHERE position = 4")
        // The derived data still knows.
        try FileManager.default.removeItem(
            atPath: try place.configuration(1).dataDirectory + "/production/node.json")
        try await expectRefusal(
            .logWentBack, place, try place.configuration(1), isNew: false)
    }

    @Test("An accepted log stays accepted until the projections are built again")
    func interruptedAcceptance() async throws {
        // given
        let place = try NodePlace()
        let chain = MadeChain()
        try await place.run(count: 1) { nodes in
            for delivery in chain.life.prefix(2) { _ = try await nodes[0].post(delivery) }
            try await rememberHead(place)
            for delivery in chain.life.dropFirst(2) { _ = try await nodes[0].post(delivery) }
            _ = try await nodes[0].subscription(chain.id, QueryScope(minPosition: 4))
        }
        try await goBack(place)
        let node = try place.configuration(1)
        // when
        let accepted = try await EnvironmentLedger.openLog(
            node.ledger, environment: .production, accepting: true)
        await accepted.close()
        // Its facts were replaced, its projections were not.
        try FileDamage.remove(
            ["facts-\(Fact.decoderVersion).sqlite"], in: "\(node.dataDirectory)/production")
        // then
        let opened = try await EnvironmentLedger.openLog(node.ledger, environment: .production)
        let head = try await opened.log.head().position
        #expect(head == 2)
        await opened.close()
    }
}
