import Foundation
import GRDB
import Ledger
import LedgerTestSupport
import Projection
import SQLiteStore
import Testing

@Suite("Columns compared by a check")
struct CheckedColumnTests {
    /// Rows of chains: columns are named. Of other tables only the name is.
    private static let chainTables: Set<String> = [
        "subscriptions", "intervals", "life_facts", "notices", "transactions", "order_lines",
        "holdings", "contributions",
    ]
    /// A file where these differ belongs to another build or another log, and is rebuilt.
    private static let buildTables: Set<String> = ["meta", "checkpoint"]
    /// They identify a row's chain and place: a row that moved is missing there.
    private static let keys: Set<String> = [
        "id", "bundle_id", "original_transaction_id", "subscription", "seq",
    ]

    private struct Column {
        let table: String
        let name: String
    }

    private func columns(_ file: DatabaseQueue) throws -> [Column] {
        try file.read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT t.name AS "table", c.name AS name
                    FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c
                    WHERE t.type = 'table' ORDER BY t.name, c.cid
                    """
            ).map { Column(table: $0["table"], name: $0["name"]) }
        }.filter { !CheckedColumnTests.buildTables.contains($0.table) }
    }

    /// A row with a value in the column, where there is one; nil for an empty table.
    private func row(_ column: Column, _ file: DatabaseQueue) throws -> Row? {
        try file.read { database in
            try Row.fetchOne(
                database,
                sql: """
                    SELECT * FROM \(column.table)
                    ORDER BY \(column.name) IS NULL, \(column.name) DESC LIMIT 1
                    """)
        }
    }

    /// Another value of the same type.
    private func other(than value: DatabaseValue) -> DatabaseValue {
        switch value.storage {
        case .null: 7.databaseValue
        case .int64(let number): (number + 1).databaseValue
        case .double(let number): (number + 1).databaseValue
        case .string(let text): (text + "x").databaseValue
        case .blob(let data): (data.dropLast() + [data.last == 0x77 ? 0x76 : 0x77]).databaseValue
        }
    }

    private func columnNames(_ row: Row) -> String {
        row.columnNames.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
    }

    /// The row with another value in one column; the columns keep their order.
    private func changed(_ row: Row, _ name: String) throws -> Row {
        let values = row.map { $0 == name ? other(than: $1) : $1 }
        let scratch = try DatabaseQueue()
        return try scratch.read { database in
            let places = row.columnNames.map { "? AS \($0.quotedDatabaseIdentifier)" }
            return try #require(
                try Row.fetchOne(
                    database, sql: "SELECT \(places.joined(separator: ", "))",
                    arguments: StatementArguments(values)))
        }
    }

    /// Replaces one row by another.
    private func swap(
        _ old: Row, for new: Row, _ table: String, _ file: DatabaseQueue
    ) throws {
        let names = old.columnNames.map(\.quotedDatabaseIdentifier)
        let condition = names.map { "\($0) IS ?" }.joined(separator: " AND ")
        let places = names.map { _ in "?" }.joined(separator: ", ")
        try file.write { database in
            try database.execute(
                sql: "DELETE FROM \(table) WHERE \(condition)",
                arguments: StatementArguments(old.databaseValues))
            #expect(database.changesCount == 1)
            try database.execute(
                sql: "INSERT INTO \(table) VALUES (\(places))",
                arguments: StatementArguments(new.databaseValues))
        }
    }

    /// All findings of a check.
    private func named(_ session: LedgerSession) async throws -> Set<String> {
        let found = try await RebuildCheck(try #require(session.projector)).run()
        return Set(found.differences.flatMap(\.columns) + found.fileFindings)
    }

    /// Chains with every kind of row: named customers, notices, future movements.
    private static let shared = SharedLedger { ledger in
        let first = MadeChain(
            id: "570000000000001", appAccountToken: "7f2c1f0e-0f0e-4c39-9a53-2c6f0a0b1c2d")
        let second = MadeChain(id: "570000000000005")
        // No evidence covers the period before the renewal.
        _ = try await ledger.ingest(first.life + [second.renewed(3)])
    }

    private func taken() async throws -> TemporaryLedger { try await Self.shared.copy() }

    @Test("Any changed value of the projections is found, and named with its column")
    func everyColumn() async throws {
        let ledger = try await taken()
        try await ledger.session { session in
            let file = try DatabaseQueue(path: session.projections.path)
            defer { try? file.close() }
            #expect(try await named(session).isEmpty)
            var untried: Set<String> = []
            for column in try columns(file) {
                let (table, name) = (column.table, column.name)
                guard let row = try row(column, file) else {
                    untried.insert(table)
                    continue
                }
                // Only one value is allowed there.
                if table == "newest_fact", name == "id" { continue }
                let changed = try changed(row, name)
                try swap(row, for: changed, table, file)
                let found = try await named(session)
                if CheckedColumnTests.keys.contains(name) {
                    #expect(!found.isEmpty, "\(table).\(name)")
                } else if CheckedColumnTests.chainTables.contains(table) {
                    #expect(found.contains("\(table).\(name)"), "\(table).\(name): \(found)")
                } else {
                    #expect(found.contains(table), "\(table).\(name): \(found)")
                }
                try swap(changed, for: row, table, file)
            }
            #expect(untried == ["completeness"])
            #expect(try await named(session).isEmpty)
        }
    }

    @Test("Any changed value of the stored facts is found")
    func everyFactColumn() async throws {
        let ledger = try await taken()
        try await ledger.session { session in
            let facts = DerivedFiles.facts(in: session.ledger.directory)
            let current = try #require(facts.current())
            let file = try DatabaseQueue(path: current)
            defer { try? file.close() }
            for column in try columns(file) where column.table == "facts" {
                let row = try #require(try row(column, file), "\(column.name)")
                let changed = try changed(row, column.name)
                try swap(row, for: changed, column.table, file)
                #expect(try await named(session) == ["facts"], "\(column.name)")
                try swap(changed, for: row, column.table, file)
            }
            #expect(try await named(session).isEmpty)
        }
    }

    // MARK: Other tables

    /// Changes the projections by hand and returns the findings of a check.
    private func named(after sql: String) async throws -> Set<String> {
        let ledger = try await taken()
        return try await ledger.session { session in
            let file = try DatabaseQueue(path: session.projections.path)
            try change(file, sql)
            try file.close()
            return try await named(session)
        }
    }

    private func change(_ file: DatabaseQueue, _ sql: String) throws {
        try file.write { try $0.execute(sql: sql) }
    }

    @Test("Rows of no chain are found by their tables")
    func strays() async throws {
        let rows = [
            "INSERT INTO intervals VALUES (999, 0, 'subscribed', 1, 2, NULL, '1', NULL, 1)",
            "INSERT INTO life_facts VALUES (999, 0, 1, 'refunded', NULL, NULL, 1)",
            "INSERT INTO notices VALUES (999, 0, 'unreadable', 'Why.', 1, NULL, '[]')",
            "INSERT INTO transactions VALUES ('9', 999, 1)",
            "INSERT INTO order_lines VALUES ('9', 999, 1)",
            "INSERT INTO holdings VALUES ('somebody', 999, 1, x'00')",
            "INSERT INTO contributions VALUES (999, 1, 1, 1, 1, NULL, x'00')",
            "INSERT INTO pending_movements VALUES (1, 999, 0, 1, 1, 1)",
        ]
        let found = try await named(after: rows.joined(separator: ";"))
        for row in rows {
            let table = String(row.split(separator: " ")[2])
            #expect(found.contains(table), "\(table): \(found)")
        }
    }

    @Test(
        "Tables or views other than this release's are found",
        arguments: [
            "DROP VIEW current_notices", "CREATE TABLE mine (value TEXT)",
            "CREATE INDEX mine ON intervals (from_at)",
            """
            DROP VIEW current_notices;
            CREATE VIEW current_notices AS SELECT * FROM notices
            """,
        ])
    func schema(sql: String) async throws {
        #expect(try await named(after: sql) == ["schema"])
    }

    @Test("A completeness claim without a sweep in the log is found")
    func completeness() async throws {
        let sql = "INSERT INTO completeness VALUES (1, 'com.example.app', 1, 1, 2, NULL)"
        #expect(try await named(after: sql) == ["completeness"])
    }
}
