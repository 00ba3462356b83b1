import AppStore
import LedgerStore
import Migrations
import PostgresSupport
import Signing
import Testing

@testable import PostgresStore

@Suite("Opening a log in PostgreSQL", .postgres)
struct LogOpeningTests {
    private let steps = SchemaHistory.postgres.count

    private func expectRefusal(
        _ code: StoreError.Code, _ database: Database, _ place: PostgresLocation? = nil,
        ledger: LedgerId? = nil
    ) async throws {
        let place = try place ?? database.place()
        await #expect(throws: failure(code)) {
            let log = try await Database.open(place, ledger: ledger)
            await log.close()
        }
    }

    @Test("Nodes that create one schema at once all open the same ledger")
    func several() async throws {
        let database = try Database()
        let logs = try await withThrowingTaskGroup(of: PostgresLog.self) { group in
            for _ in 0..<6 { group.addTask { try await database.open() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(logs.map(\.ledgerId)).count == 1)
        for log in logs { await log.close() }
        #expect(
            try database.sql("SELECT count(*) FROM \(database.schema).migrations") == "\(steps)")
    }

    @Test("A schema of a newer release, a changed record and a missing one are refused")
    func migrations() async throws {
        let database = try Database()
        try await database.open().close()
        let table = "\(database.schema).migrations"
        try database.sql("INSERT INTO \(table) VALUES (\(steps + 1), 'V_new', '\\x00')")
        try await expectRefusal(.fileNewer, database)
        try database.sql("DELETE FROM \(table) WHERE version > \(steps)")
        try database.sql("UPDATE \(table) SET checksum = '\\x00'")
        try await expectRefusal(.fileChanged, database)
        try database.sql("DELETE FROM \(table) WHERE version = 1")
        try await expectRefusal(.fileChanged, database)
        try database.sql("DROP TABLE \(table)")
        try await expectRefusal(.fileForeign, database)
    }

    @Test("A schema of another program is refused and left unchanged")
    func foreign() async throws {
        let database = try Database()
        try database.sql(
            "CREATE SCHEMA \(database.schema); CREATE TABLE \(database.schema).t (a int)")
        try await expectRefusal(.fileForeign, database)
        try database.sql("CREATE TABLE \(database.schema).migrations (id int)")
        try await expectRefusal(.fileForeign, database)
        let count = "SELECT count(*) FROM pg_tables WHERE schemaname = '\(database.schema)'"
        #expect(try database.sql(count) == "2")
    }

    @Test("Another environment, and another ledger, are refused")
    func others() async throws {
        let database = try Database()
        let log = try await database.open()
        let id = log.ledgerId
        await log.close()
        await #expect(throws: failure(.fileForeign)) {
            try await Database.open(database.place(), environment: .sandbox)
        }
        let text = String(repeating: "0", count: 32)
        try await expectRefusal(.fileForeign, database, ledger: LedgerId(text))
        let again = try await Database.open(database.place(), ledger: LedgerId(id.description))
        await again.close()
    }

    @Test("A schema of an earlier release is refused before it is migrated")
    func refusedUnmigrated() async throws {
        let database = try Database()
        let log = try await database.open()
        let id = log.ledgerId
        await log.close()
        let schema = database.schema
        try database.sql(
            """
            DELETE FROM \(schema).migrations WHERE version = \(steps);
            DROP INDEX \(schema).events_version_one
            """)
        let count = "SELECT count(*) FROM \(schema).migrations"
        let other = LedgerId(String(repeating: "0", count: 32))
        try await expectRefusal(.fileForeign, database, ledger: other)
        await #expect(throws: failure(.fileForeign)) {
            try await Database.open(database.place(), environment: .sandbox)
        }
        let seen = ProjectionCursor(position: 1, leafHash: SHA256.hash([1]))
        await #expect(throws: failure(.logWentBack)) { try await database.open(seen: seen) }
        #expect(try database.sql(count) == "\(steps - 1)")
        try await Database.open(database.place(), ledger: id).close()
        #expect(try database.sql(count) == "\(steps)")
    }

    @Test("Wrong host, database, role and password are one sentence each, without the password")
    func wrong() async throws {
        let database = try Database()
        let port = database.cluster.port
        let cases: [(String, StoreError.Code)] = [
            ("host=127.0.0.1 port=1 user=u password=hidden", .databaseUnavailable),
            ("host=no-such-host.invalid user=u password=hidden", .databaseUnavailable),
            ("host=127.0.0.1 port=\(port) user=postgres dbname=nope", .databaseRefused),
            ("host=127.0.0.1 port=\(port) user=nope dbname=\(database.name)", .databaseRefused),
            (
                "host=127.0.0.1 port=\(port) user=\(PostgresCluster.lockedRole) password=hidden "
                    + "dbname=\(database.name)", .databaseRefused
            ),
        ]
        for (text, code) in cases {
            let string = try #require(ConnectionString(text))
            let place = try #require(PostgresLocation(string, schema: "s"))
            do throws(StoreError) {
                _ = try await Database.open(place)
                Issue.record("opened \(place)")
            } catch {
                #expect(error.code == code, "\(error)")
                #expect(!error.description.contains("hidden"))
                #expect(!error.description.contains("\n"))
            }
        }
    }

    @Test("A role without rights is refused before anything is created")
    func rights() async throws {
        let database = try Database()
        let place = try database.place(
            adding: "user=\(PostgresCluster.lockedRole) password=\(PostgresCluster.password)")
        try await expectRefusal(.databaseRefused, database, place)
        // Once the owner created the schema, reading and appending suffice.
        try await database.open().close()
        let (schema, role) = (database.schema, PostgresCluster.lockedRole)
        try database.sql(
            """
            GRANT USAGE ON SCHEMA \(schema) TO \(role);
            GRANT SELECT ON ALL TABLES IN SCHEMA \(schema) TO \(role);
            GRANT INSERT ON \(schema).events, \(schema).evidence, \(schema).headers TO \(role);
            GRANT UPDATE ON \(schema).head TO \(role);
            """)
        let log = try await Database.open(place)
        #expect(try await log.append(Made.events(0..<2)).map(\.position) == [1, 2])
        try await log.expectSound(["e0", "e1"])
        await log.close()
        try database.sql("DROP OWNED BY \(role)")
    }

    @Test(
        "A role that may open no more connections fails with one sentence, and continues afterwards"
    )
    func connections() async throws {
        let database = try Database()
        let role = "limited_\(database.schema)"
        try database.sql("CREATE ROLE \(role) LOGIN SUPERUSER CONNECTION LIMIT 8")
        // The owner of the schema reaches it also when it is no superuser any more.
        let place = try database.place(adding: "user=\(role)")
        let log = try await Database.open(place)
        _ = try await log.append(Made.events(0..<1))
        try database.sql("ALTER ROLE \(role) NOSUPERUSER CONNECTION LIMIT 0")
        try database.sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '\(role)'")
        await #expect(throws: failure(.databaseUnavailable)) {
            try await log.append(Made.events(1..<2))
        }
        try await expectRefusal(.databaseUnavailable, database, place)
        try database.sql("ALTER ROLE \(role) CONNECTION LIMIT 8")
        #expect(try await log.append(Made.events(1..<2)) == [.appended(position: 2)])
        await log.close()
    }

    @Test(
        "A pooler in transaction mode is refused, one in session mode is none",
        .enabled(if: Pooler.isPresent, "PgBouncer (Debian's pgbouncer) is not installed"),
        arguments: [("transaction", false), ("transaction", true), ("session", true)])
    func pooler(mode: String, takesTurns: Bool) async throws {
        let database = try Database(of: nil)
        let pooler = try await offPool {
            try Pooler(to: database.cluster, mode: mode, takesTurns: takesTurns)
        }
        let place = try database.place(port: pooler.port)
        for number in 0..<2 {
            guard mode == "session" else {
                try await expectRefusal(.databaseRefused, database, place)
                continue
            }
            let log = try await Database.open(place)
            #expect(try await log.append(Made.events(number..<number + 1)).first?.isWritten == true)
            await log.close()
        }
        pooler.end()
    }

    @Test(
        "Notices leave no setting in a session that a pooler gives to others",
        .enabled(if: Pooler.isPresent, "PgBouncer (Debian's pgbouncer) is not installed"))
    func noticesOfPooler() async throws {
        // given
        let database = try Database(of: nil)
        let pooler = try await offPool { try Pooler(to: database.cluster, mode: "transaction") }
        let place = try database.place(port: pooler.port)
        let listener = try database.session()
        try listener.run(script: "LISTEN \"\(database.schema)\"")
        // when
        let notices = AppendNotices(PostgresSession(place: place, answerTimeout: .seconds(60)))
        notices.send()
        while try listener.notifications(within: 20).isEmpty {}
        // then: in the only session of the pool
        let next = try PostgresConnection(place, answerTimeout: .seconds(60))
        try next.run(script: "DEALLOCATE ALL")
        let found = try next.run(Statement("SELECT current_setting('synchronous_commit')").with())
        #expect(found.first?.text(0) == "on")
        await notices.end()
        pooler.end()
    }

    @Test("Prepared statements of another session mean a pooler in transaction mode")
    func statements() throws {
        let database = try Database()
        let session = try database.session()
        try session.run(script: "PREPARE s2 AS SELECT 1")
        do throws(PostgresError) {
            _ = try session.run(Statement("SELECT 2").with())
            Issue.record("prepared twice")
        } catch {
            #expect(StoreError(error, location: "") == failure(.databaseRefused))
        }
        try session.run(script: "DEALLOCATE ALL")
        do throws(PostgresError) {
            _ = try session.run(PostgresSession.settings.with(60_000))
            Issue.record("executed what is gone")
        } catch {
            #expect(StoreError(error, location: "") == failure(.databaseRefused))
        }
    }

    @Test("What weakens the log is found")
    func findings() async throws {
        let database = try Database(of: nil)
        let log = try await database.open()
        let session = try database.session()
        #expect(session.option("sslmode") == "disable" && session.option("nothing") == nil)
        let found = try await log.weaknesses()
        #expect(
            found.map { $0.message.prefix(28) } == [
                "fsync is off: a crash of the", "The server's certificate is ",
                "The role is a superuser, to ",
            ])
        #expect(found.map(\.isSevere) == [true, false, false])
        await log.close()
        try database.sql("ALTER DATABASE \(database.name) SET synchronous_commit = off")
        let weak = try await database.open()
        let more = try await weak.weaknesses()
        #expect(more.contains { $0.message.hasPrefix("synchronous_commit is off") })
        // The log's own connections wait all the same.
        let own = try database.session().run(
            Statement("SELECT current_setting('synchronous_commit')").with())
        #expect(own.first?.text(0) == "on")
        await weak.close()
    }

    @Test("A COMMIT that does not wait for the disk of a synchronous standby is found")
    func findingOfStandby() async throws {
        let cluster = try await offPool { try PostgresCluster(isDurable: false) }
        let database = try Database(of: cluster)
        let start = "synchronous_commit is local although"
        func isFound() async throws -> Bool {
            let log = try await database.open()
            let found = try await log.weaknesses()
            await log.close()
            return found.contains { $0.isSevere && $0.message.hasPrefix(start) }
        }
        try database.sql("ALTER DATABASE \(database.name) SET synchronous_commit = local")
        #expect(try await !isFound())
        try cluster.sql("ALTER SYSTEM SET synchronous_standby_names = 'absent'")
        try await offPool {
            cluster.stop()
            try cluster.start()
        }
        #expect(try await isFound())
        cluster.end()
    }

    @Test("A database that is not UTF-8 is refused")
    func encoding() async throws {
        let database = try Database(
            of: nil, "ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
        try await expectRefusal(.databaseRefused, database)
    }

    @Test("A database that accepts no writes is refused, and so are appends to it")
    func readOnly() async throws {
        let database = try Database(of: nil)
        let log = try await database.open()
        _ = try await log.append(Made.events(0..<1))
        try database.sql(
            "ALTER DATABASE \(database.name) SET default_transaction_read_only = on")
        try await expectRefusal(.databaseUnavailable, database)
        // A connection that is open when the setting is reloaded, or is not checked for it.
        let place = try database.place(adding: "target_session_attrs=any")
        let unchecked = try await Database.open(place)
        await #expect(throws: failure(.fileReadOnly)) {
            try await unchecked.append(Made.events(1..<2))
        }
        await #expect(throws: failure(.fileReadOnly)) { try await unchecked.probeCommit() }
        // Of another database: sessions of this one may change nothing.
        try database.cluster.sql(
            "ALTER DATABASE \(database.name) RESET default_transaction_read_only")
        #expect(try await unchecked.append(Made.events(1..<2)).map(\.position) == [2])
        try await log.expectSound(["e0", "e1"])
        await log.close()
        await unchecked.close()
    }

    @Test("A node that knows its ledger opens it while the database is away, and checks it later")
    func away() async throws {
        let (database, other, empty) = (try Database(), try Database(), try Database())
        let own = try await database.open()
        _ = try await own.append([Made.event("a")])
        let (ledger, seen) = (own.ledgerId, own.lastSeen)
        await own.close()
        try await other.open().close()
        for place in [database, other, empty] {
            let proxy = try CuttingProxy(to: place.cluster.port)
            proxy.refuse(true)
            let location = try place.place(port: proxy.port)
            await #expect(throws: failure(.databaseUnavailable)) {
                try await Database.open(location)
            }
            let log = try await Database.open(location, ledger: ledger, seen: seen)
            let operations = try await PostgresOperations.open(
                location, environment: .production, ledger: ledger)
            await #expect(throws: failure(.databaseUnavailable)) { try await log.head() }
            await #expect(throws: failure(.databaseUnavailable)) {
                try await operations.quarantineCount()
            }
            proxy.refuse(false)
            if place === database {
                #expect(try await log.append([Made.event("b")]) == [.appended(position: 2)])
                _ = try await operations.quarantineCount()
            } else {
                await #expect(throws: failure(.fileForeign)) {
                    try await log.append([Made.event("b")])
                }
                await #expect(throws: failure(.fileForeign)) { try await log.head() }
                await #expect(throws: failure(.fileForeign)) {
                    try await operations.quarantineCount()
                }
            }
            await log.close()
            await operations.close()
            proxy.end()
        }
        let schemas = "SELECT count(*) FROM pg_namespace WHERE nspname = '\(empty.schema)'"
        #expect(try database.sql(schemas) == "0")
    }
}
