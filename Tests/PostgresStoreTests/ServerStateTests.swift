import AppStore
import LedgerStore
import PostgresSupport
import TestSupport
import Testing

@testable import PostgresStore

/// A server without room, and one whose schema another release has moved on.
@Suite("States of the server", .postgres)
struct ServerStateTests {
    @Test("A full database refuses what is new and nothing else, and takes it once there is room")
    func full() async throws {
        let database = try Database()
        let log = try await database.open()
        let store = try await PostgresOperations.open(database.place(), environment: .production)
        _ = try await log.append([Made.event("a")])
        // The code with which a server answers that cannot extend a file.
        try database.sql(
            """
            SET search_path = \(database.schema);
            CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
            CREATE TRIGGER full_disk BEFORE INSERT ON evidence
                FOR EACH ROW EXECUTE FUNCTION \(database.schema).full_disk();
            CREATE TRIGGER full_disk BEFORE INSERT ON quarantine
                FOR EACH ROW EXECUTE FUNCTION \(database.schema).full_disk()
            """)
        let item = NewQuarantineItem(
            receivedAt: Timestamp(milliseconds: 1), standing: .genuineConfigured, code: "c",
            message: "m", bytes: [1], input: "i")
        for _ in 0..<2 {
            await #expect(throws: failure(.diskFull)) { try await log.append([Made.event("b")]) }
            await #expect(throws: failure(.diskFull)) { try await store.quarantine(item) }
            // A new version of the head row needs no room; an event does.
            await #expect(throws: failure(.diskFull)) { try await log.probeCommit() }
        }
        let started = try await database.open()
        // What is durable is confirmed without room.
        try await started.confirmVisible()
        await #expect(throws: failure(.diskFull)) { try await started.probeCommit() }
        try await started.confirmVisible()
        await #expect(throws: failure(.diskFull)) { try await started.probeCommit() }
        await started.close()
        #expect(try await log.append([Made.event("a")]) == [.duplicate(of: 1)])
        #expect(try await store.quarantineTotals().allSatisfy { $0.itemCount == 0 })
        try await log.expectSound(["a"])
        for table in ["evidence", "quarantine"] {
            try database.sql("DROP TRIGGER full_disk ON \(database.schema).\(table)")
        }
        try await log.probeCommit()
        #expect(try await log.append([Made.event("b")]) == [.appended(position: 2)])
        #expect(try await store.quarantine(item) == .kept(id: 1))
        try await log.expectSound(["a", "b"])
        await log.close()
        await store.close()
    }

    @Test("A node that runs goes on after a migration of a later release, and does not start again")
    func migrated() async throws {
        let database = try Database()
        let proxy = try CuttingProxy(to: database.cluster.port)
        let log = try await database.open(port: proxy.port)
        _ = try await log.append([Made.event("a")])
        try database.sql(
            """
            INSERT INTO \(database.schema).migrations (version, name, checksum)
            SELECT max(version) + 1, 'V9999_later', '\\x00' FROM \(database.schema).migrations
            """)
        #expect(try await log.append([Made.event("b")]) == [.appended(position: 2)])
        // On new connections, too.
        proxy.cutAll()
        #expect(try await log.append([Made.event("c")]) == [.appended(position: 3)])
        try await log.expectSound(["a", "b", "c"])
        await #expect(throws: failure(.fileNewer)) {
            try await PostgresOperations.open(database.place(), environment: .production)
        }
        await #expect(throws: failure(.fileNewer)) { try await database.open() }
        await log.close()
        proxy.end()
    }

    @Test("A bound of statements, as a role or database may have one, is none for rewriting tables")
    func bounded() async throws {
        let database = try Database(of: PostgresCluster.sharedForErasures())
        let log = try await database.open()
        _ = try await log.append([Made.event("a")])
        try database.sql("ALTER DATABASE \(database.name) SET statement_timeout = 500")
        // The server ends this session, and with it the lock, after three times as long.
        let holder = try database.session()
        try holder.run(script: "SET idle_in_transaction_session_timeout = 1500")
        let lock = Statement("LOCK TABLE \(database.schema).events IN ACCESS SHARE MODE")
        _ = try holder.run([Statement.begin.with(), lock.with()])
        try await log.purge()
        #expect(throws: PostgresError.self) { try holder.run(Statement.rollback.with()) }
        await log.close()
    }
}
