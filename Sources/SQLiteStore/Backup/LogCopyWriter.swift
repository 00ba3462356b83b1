internal import AppStore
internal import GRDB
internal import LedgerStore

/// Fills an empty log with the rows of another one.
///
/// Works without a journal, since no process reads the copy before it is complete. The indexes are
/// created at the end: keys arrive in random order, and sorting them once costs far less than
/// inserting them one by one.
final class LogCopyWriter: Sendable {
    private let path: String
    private let queue: DatabaseQueue
    /// The schema's statements that create the indexes.
    private let indexes: [String]

    private static let cacheKibibytes = 64 * 1_024

    /// Opens the empty log at `path`, which must have this release's schema. Blocks.
    init(path: String) throws(StoreError) {
        self.path = path
        do {
            queue = try DatabaseQueue(
                path: path,
                configuration: Configuration(pragmas: [
                    "cache_size = -\(LogCopyWriter.cacheKibibytes)", "trusted_schema = OFF",
                ]))
            indexes = try queue.inDatabase { database in
                try LogCopyWriter.setMode("DELETE", database, path)
                try LogCopyWriter.setMode("OFF", database, path)
                try database.execute(sql: "PRAGMA synchronous = OFF")
                let rows = try Row.fetchAll(
                    database,
                    sql: """
                        SELECT name, sql FROM sqlite_schema
                        WHERE type = 'index' AND sql IS NOT NULL ORDER BY rowid
                        """)
                for row in rows {
                    let name: String = row["name"]
                    try database.execute(sql: "DROP INDEX \(name.quotedDatabaseIdentifier)")
                }
                return rows.map { $0["sql"] }
            }
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Adds rows, in order of position.
    func add(_ rows: [CopiedRow]) async throws(StoreError) {
        try await write { database in
            let event = try PreparedStatement(database, EventRow.insert)
            let evidence = try PreparedStatement(
                database, "INSERT INTO evidence (position, form, bytes) VALUES (?, ?, ?)")
            for row in rows {
                EventRow.bind(row.event, to: event)
                _ = try event.run()
            }
            for row in rows {
                guard let stored = row.evidence else { continue }
                evidence.bind(1, row.event.position)
                evidence.bind(2, stored.form)
                if let bytes = stored.bytes {
                    evidence.bind(3, bytes)
                } else {
                    evidence.bindNull(3)
                }
                _ = try evidence.run()
            }
        }
    }

    func add(_ headers: [(id: Int64, header: EvidenceHeader)]) async throws(StoreError) {
        try await write { database in
            for (id, header) in headers {
                try database.insert(
                    into: "headers", ["id": id, "hash": header.hash, "bytes": header.bytes])
            }
        }
    }

    /// Writes the head row, creates the indexes, and closes the database as a single file.
    func finish(_ head: HeadRow) async throws(StoreError) {
        let (indexes, path) = (indexes, path)
        try await write { database in
            try head.write(database)
            for sql in indexes { try database.execute(sql: sql) }
        }
        try await queue.access(path) { try LogCopyWriter.setMode("DELETE", $0, path) }
        try await Blocking.run { [queue] () throws(StoreError) in
            do { try queue.close() } catch { throw StoreError(error, path: path) }
        }
    }

    private func write(
        _ body: @escaping @Sendable (Database) throws -> Void
    ) async throws(StoreError) {
        try await queue.access(path) { database in
            try database.inTransaction {
                try body(database)
                return .commit
            }
        }
    }

    static func setMode(_ mode: String, _ database: Database, _ path: String) throws {
        let now = try String.fetchOne(database, sql: "PRAGMA journal_mode = \(mode)")
        guard now == mode.lowercased() else {
            throw StoreError(
                .fileLocked, path: path, reason: "Its journal mode cannot be changed.",
                remedy: "Close the file in every other process, then try again.")
        }
    }
}
