import AppStore
import Ledger
import LedgerStore
import PostgresSupport
import Testing

@testable import PostgresStore

@Suite("Rows of a log in PostgreSQL", .postgres)
struct LogRowTests {
    @Test("NUL and other characters in texts are kept byte for byte")
    func texts() async throws {
        let database = try Database()
        let log = try await database.open()
        let texts = ["\0", "a\0b", "", "süß", "\u{FFFF}", "'\";--\\x00", "🧾"]
        for (number, text) in texts.enumerated() {
            var event = try Made.event("t\(number)")
            event.attributes.bundleId = BundleId(text)
            event.attributes.chain = OriginalTransactionId(text)
            event.attributes.notificationType = text
            event.attributes.subtype = text
            event.attributes.notificationUUID = NotificationUUID(text)
            #expect(try await log.append([event]).first?.isWritten == true)
            let row = try #require(try await log.event(at: Int64(number) + 1)).event
            #expect(row.attributes == event.attributes)
            #expect(row.leafHash == row.computedLeafHash())
        }
        #expect(try await log.verify().isSound)
        let rows = try database.sql("SELECT count(*) FROM \(database.schema).events_readable")
        #expect(rows == "\(texts.count)")
        await log.close()
    }

    @Test("Rows cannot be changed, deleted or truncated")
    func immutable() async throws {
        let database = try Database()
        let log = try await database.open()
        _ = try await log.append([Made.token("t")])
        for table in ["ledger", "events", "evidence", "headers", "head"] {
            let name = "\(database.schema).\(table)"
            let column = table == "headers" ? "id" : table == "ledger" ? "one" : "position"
            var statements = ["DELETE FROM \(name)", "TRUNCATE \(name)"]
            if table != "head" { statements.append("UPDATE \(name) SET \(column) = \(column)") }
            for statement in statements {
                #expect(throws: (any Error).self, "\(statement)") { try database.sql(statement) }
            }
            #expect(try await log.verify().isSound, "\(table)")
        }
        await log.close()
    }

    @Test("An audit finds changed rows, evidence, headers, trees and missing triggers")
    func audit() async throws {
        let changes: [(String, LogFinding.Code)] = [
            ("UPDATE events SET received_at = 7 WHERE position = 2", .leafHashMismatch),
            ("UPDATE events SET kind = 99 WHERE position = 2", .rowUnreadable),
            ("UPDATE evidence SET bytes = '\\x00' WHERE position = 2", .evidenceHashMismatch),
            ("UPDATE evidence SET bytes = NULL WHERE position = 2", .evidenceErased),
            ("DELETE FROM evidence WHERE position = 2", .evidenceMissing),
            ("INSERT INTO evidence VALUES (99, 0, '')", .evidenceSurplus),
            ("DELETE FROM events WHERE position = 2", .positionMissing),
            ("UPDATE headers SET bytes = '\\x00'", .headerHashMismatch),
            ("UPDATE head SET position = 2", .headMismatch),
            ("DROP TRIGGER events_immutable ON events", .schemaMismatch),
            ("ALTER TABLE events RENAME COLUMN subtype TO other", .fileDamaged),
        ]
        for (change, code) in changes {
            let database = try Database()
            let log = try await database.open()
            _ = try await log.append(Made.events(0..<3) + [Made.token("t")])
            #expect(try await log.verify().isSound)
            try database.sql(
                """
                SET search_path = \(database.schema); SET session_replication_role = replica;
                \(change)
                """)
            let found = try await log.verify().findings.map(\.code)
            #expect(found.contains(code), "\(change): \(found)")
            await log.close()
        }
    }

    @Test(
        "A missing table is a finding that names it",
        arguments: ["events", "evidence", "head", "headers"])
    func missing(table: String) async throws {
        let database = try Database()
        let log = try await database.open()
        _ = try await log.append(Made.events(0..<3) + [Made.token("t")])
        try database.sql("DROP TABLE \(database.schema).\(table) CASCADE")
        #expect(try await log.verify().findings == [LogFinding(.fileDamaged, table: table)])
        await log.close()
    }

    @Test("A damaged row is refused or marked, and its neighbours are read")
    func damage() async throws {
        let database = try Database()
        let log = try await database.open()
        _ = try await log.append(Made.events(0..<3))
        try database.sql(
            """
            SET session_replication_role = replica;
            UPDATE \(database.schema).events SET trust = 99 WHERE position = 2
            """)
        await #expect(throws: failure(.fileCorrupt)) { try await log.events(after: 0) }
        let marked = try await log.page(after: 0, damaged: .marked)
        #expect(marked.map { $0.damage == nil } == [true, false, true])
        #expect(log.takeUnreadablePositions() == [2])
        #expect(log.takeUnreadablePositions() == [])
        await log.close()
    }

    @Test("A page read beside an erasure is of one moment")
    func moment() async throws {
        let database = try Database()
        let log = try await database.open()
        _ = try await log.append(Made.events(0..<3))
        let other = try database.session()
        let evidence = "\(database.schema).evidence"
        try other.run(
            script: """
                SET idle_in_transaction_session_timeout = 0; SET session_replication_role = replica;
                BEGIN; LOCK TABLE \(evidence) IN ACCESS EXCLUSIVE MODE
                """)
        async let read = log.page(after: 0)
        let waiting = Statement(
            """
            SELECT count(*) FROM pg_catalog.pg_locks
            WHERE NOT granted AND relation = '\(evidence)'::regclass
            """)
        while try other.run(waiting.with()).first?.int64(0) == 0 { await Task.yield() }
        try other.run(
            script: "UPDATE \(evidence) SET bytes = NULL WHERE position = 2; COMMIT")
        #expect(try await read.allSatisfy { $0.evidence != nil })
        #expect(try await log.page(after: 0).count { $0.evidence == nil } == 1)
        await log.close()
    }
}
