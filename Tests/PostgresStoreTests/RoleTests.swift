import AppStore
import Foundation
import Ledger
import LedgerStore
import PostgresSupport
import TestSupport
import Testing

@testable import PostgresStore

/// Roles with the rights that `PostgreSQL.md` grants.
@Suite("Roles of nodes", .postgres)
struct RoleTests {
    /// The statements of the page, for a schema and roles of their own.
    private func grants(
        _ database: Database, writer: String, reader: String
    ) throws -> String {
        let page = Fixtures.repository.appending(
            path: "Sources/PostgresStore/PostgresStore.docc/PostgreSQL.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let block = try #require(
            text.split(separator: "```").first { $0.hasPrefix("\nGRANT ") })
        return String(block).replacing("subledger_production", with: database.schema)
            .replacing("TO writer", with: "TO \(writer)")
            .replacing(", reader;", with: ", \(reader);")
    }

    /// A schema that the superuser owns, and the options by which a writer and a reader log in.
    private func make() async throws -> (Database, writer: String, reader: String) {
        let database = try Database()
        try await database.open().close()
        let (writer, reader) = (PostgresCluster.newName(), PostgresCluster.newName())
        try database.sql("CREATE ROLE \(writer) LOGIN; CREATE ROLE \(reader) LOGIN")
        try database.sql(try grants(database, writer: writer, reader: reader))
        return (database, "user=\(writer)", "user=\(reader)")
    }

    @Test("A writer appends and keeps operational state, and may not change the log")
    func writer() async throws {
        let (database, writer, _) = try await make()
        try await database.askEverything(adding: writer)
        let log = try await Database.open(database.place(adding: writer))
        #expect(try await log.append([Made.event("b")]) == [.appended(position: 2)])
        #expect(try await log.verify().isSound)
        let erasure = Erasure(
            id: "e", actor: "dpo", reason: "asked", positions: [1], chains: [], facts: [])
        let event = try NewEvent(
            erasure, receivedAt: Timestamp(milliseconds: 2_000), packer: Made.packer)
        let scope = ErasureScope(through: 2, chains: [])
        await #expect(throws: failure(.databaseRefused)) {
            try await log.erase(event, within: scope)
        }
        #expect(try await log.head().position == 2)
        await log.close()
    }

    @Test("A role that owns a schema creates its log there without a right on the database")
    func owner() async throws {
        let database = try Database()
        let owner = PostgresCluster.newName()
        try database.sql(
            """
            CREATE ROLE \(owner) LOGIN; CREATE SCHEMA \(database.schema) AUTHORIZATION \(owner)
            """)
        let log = try await Database.open(database.place(adding: "user=\(owner)"))
        #expect(try await log.append([Made.event("a")]) == [.appended(position: 1)])
        await log.close()
    }

    @Test("A server without a connection left is named as such, after the next one was tried")
    func noConnectionLeft() async throws {
        // given
        let database = try Database()
        let other = try await offPool { try PostgresCluster.sharedForLocks() }
        let role = PostgresCluster.newName()
        try database.sql("CREATE ROLE \(role) LOGIN CONNECTION LIMIT 0")
        try other.sql("CREATE ROLE \(role) LOGIN")
        // when
        let alone = try database.place(adding: "user=\(role)")
        let error = await #expect(throws: StoreError.self) { try await Database.open(alone) }
        // then
        #expect(error?.code == .databaseUnavailable)
        #expect(error?.reason == "The database has no connection left.")
        #expect(error?.remedy.contains("too many connections for role") == true, "\(error as Any)")
        func connect(_ next: UInt16) throws -> PostgresConnection {
            let place = try database.place(
                adding: "user=\(role) dbname=postgres host=127.0.0.1,127.0.0.1 "
                    + "port=\(database.cluster.port),\(next)")
            return try PostgresConnection(place, answerTimeout: .seconds(60))
        }
        #expect(try connect(other.port).serverVersion > 0)
        // Nor does a next one that is down hide it.
        let first = #expect(throws: PostgresError.self) { _ = try connect(1) }
        #expect(first?.kind == .refused(.tooManyConnections) && first?.isPassing == true)
    }

    @Test("A role that may not apply missing migrations names the command for their owner")
    func unmigrated() async throws {
        let (database, writer, _) = try await make()
        let table = "\(database.schema).migrations"
        try database.sql(
            "DELETE FROM \(table) WHERE version = (SELECT max(version) FROM \(table))")
        let place = try database.place(adding: writer)
        do throws(StoreError) {
            _ = try await Database.open(place)
            Issue.record("opened")
        } catch {
            #expect(error.code == .databaseRefused)
            #expect(error.reason.hasPrefix("Migrations are missing"), "\(error)")
            #expect(error.remedy.contains("subledger doctor --environment production"))
        }
    }

    @Test("A role that does not own the tables does not pass over what it may not rewrite")
    func rewriting() async throws {
        let (database, writer, _) = try await make()
        let place = try database.place(adding: writer)
        let log = try await Database.open(place)
        let store = try await PostgresOperations.open(place, environment: .production)
        let error = await #expect(throws: StoreError.self) { try await log.requirePurgeable() }
        #expect(error?.code == .databaseRefused)
        #expect(error?.reason.contains("erased nothing") == true, "\(error?.reason ?? "")")
        let owned = try await database.open()
        try await owned.requirePurgeable()
        await owned.close()
        await #expect(throws: failure(.databaseRefused)) { try await log.purge() }
        await #expect(throws: failure(.databaseRefused)) { try await store.purge() }
        await log.close()
        await store.close()
    }

    /// The id of the transaction that is open.
    private func transaction(of session: PostgresConnection) throws -> String {
        let own = Statement(
            """
            SELECT virtualtransaction::text FROM pg_catalog.pg_locks
            WHERE pid = pg_backend_pid() AND locktype = 'virtualxid'
            """)
        return try #require(try session.run(own.with()).first?.text(0))
    }

    @Test("No table is rewritten while a transaction that writes is open in another database")
    func elsewhere() async throws {
        let database = try Database(of: nil)
        let place = try database.place()
        try await Database.open(place).close()
        let (own, other) = (try database.session(), try Database(of: nil).session())
        // It stays idle while the rewriting is refused.
        try other.run(script: "SET idle_in_transaction_session_timeout = 0")
        try other.run(script: "BEGIN")
        let id = try transaction(of: other)
        #expect(try !own.openTransactions().contains(id))
        try other.run(script: "SELECT txid_current()")
        #expect(try own.openTransactions().contains(id))
        await #expect(throws: failure(.fileLocked)) {
            try await place.rewrite(["evidence", "events"], attempts: 1)
        }
        try other.run(script: "COMMIT")
        #expect(try !own.openTransactions().contains(id))
    }

    @Test("No table is rewritten while a role whose activity is hidden has a transaction open")
    func readers() async throws {
        let database = try Database(of: PostgresCluster.sharedForErasures())
        let (owner, report) = (PostgresCluster.newName(), PostgresCluster.newName())
        try database.sql(
            """
            CREATE ROLE \(owner) LOGIN; CREATE ROLE \(report) LOGIN;
            CREATE SCHEMA \(database.schema) AUTHORIZATION \(owner)
            """)
        let place = try database.place(adding: "user=\(owner)")
        try await Database.open(place).close()
        let own = try database.session(adding: "user=\(owner)")
        let other = try database.session(adding: "user=\(report)")
        // It stays idle while the purge is refused.
        try other.run(script: "SET idle_in_transaction_session_timeout = 0")
        try other.run(script: "BEGIN ISOLATION LEVEL REPEATABLE READ")
        let id = try transaction(of: other)
        #expect(try own.openTransactions().contains(id))
        await #expect(throws: failure(.fileLocked)) {
            try await place.rewrite(["evidence", "events"], attempts: 1)
        }
        try other.run(script: "COMMIT; BEGIN")
        #expect(try !own.openTransactions().contains(id))
        try other.run(script: "COMMIT")
        try await place.rewrite(["evidence", "events"])
    }

    @Test("A copy that could not remove what was erased meanwhile does so when it is run again")
    func copiedErasure() async throws {
        let source = try await Database().open()
        _ = try await source.append(Made.events(0..<3))
        let database = try Database(of: PostgresCluster.sharedForErasures())
        let target = try await database.open()
        _ = try await LogCopy(from: source, to: target).run()
        let erasure = Erasure(
            id: "e", actor: "dpo", reason: "asked", positions: [2], chains: [], facts: [])
        _ = try await source.erase(
            NewEvent(erasure, receivedAt: Timestamp(milliseconds: 2_000), packer: Made.packer),
            within: ErasureScope(through: 3, chains: []))
        let (writer, reader) = (PostgresCluster.newName(), PostgresCluster.newName())
        try database.sql("CREATE ROLE \(writer) LOGIN; CREATE ROLE \(reader) LOGIN")
        try database.sql(try grants(database, writer: writer, reader: reader))
        try database.sql(
            "GRANT UPDATE ON \(database.schema).events, \(database.schema).evidence TO \(writer)")
        let written = try await Database.open(database.place(adding: "user=\(writer)"))
        await #expect(throws: failure(.databaseRefused)) {
            try await LogCopy(from: source, to: written).run()
        }
        func left() throws -> [String] {
            try database.cluster.relations(of: database.name, holding: "chain-e1")
        }
        #expect(try await target.head().position == 4)
        #expect(try !left().isEmpty)
        _ = try await LogCopy(from: source, to: target).run()
        #expect(try left().isEmpty)
        for log in [source, written, target] { await log.close() }
    }

    @Test("A reader reads, and appends nothing")
    func reader() async throws {
        let (database, _, reader) = try await make()
        let log = try await database.open()
        _ = try await log.append([Made.event("a")])
        let reading = try await Database.open(database.place(adding: reader))
        #expect(try await reading.events(after: 0).count == 1)
        #expect(try await reading.verify().isSound)
        for id in ["a", "b"] {
            await #expect(throws: failure(.databaseRefused)) {
                try await reading.append([Made.event(id)])
            }
        }
        try await log.expectSound(["a"])
        await log.close()
        await reading.close()
    }
}
