internal import GRDB
internal import LedgerStore

/// The checkpoints in a backup: a table that logs do not have. Blocks.
struct BackupCheckpoints: Sendable {
    private let path: String
    private let queue: DatabaseQueue

    /// Opens a backup, or the copy that becomes one.
    init(_ path: String, readOnly: Bool) throws(StoreError) {
        self.path = path
        do {
            queue = try DatabaseQueue(
                path: path,
                configuration: Configuration(
                    readOnly: readOnly, pragmas: ["trusted_schema = OFF"]))
        } catch { throw StoreError(error, path: path) }
    }

    /// Adds checkpoints; the first ones create the table.
    func add(_ checkpoints: [StoredCheckpoint]) throws(StoreError) {
        try run { database in
            try database.inTransaction {
                try database.execute(
                    sql: """
                        CREATE TABLE IF NOT EXISTS checkpoints (
                            size INTEGER PRIMARY KEY, note TEXT NOT NULL,
                            signed_at INTEGER NOT NULL
                        ) STRICT
                        """)
                let tables = FileTables(database: database)
                for checkpoint in checkpoints { try tables.keep(checkpoint) }
                return .commit
            }
        }
    }

    /// The checkpoints of more than `size` events, in order; at most `limit`.
    func page(after size: Int64, limit: Int) throws(StoreError) -> [StoredCheckpoint] {
        try run { database in
            try FileTables(database: database).checkpoints(
                "size > $1::bigint ORDER BY size", size, limit)
        }
    }

    /// Removes the table, which turns the backup into a log.
    func remove() throws(StoreError) {
        try run { try $0.execute(sql: "DROP TABLE checkpoints") }
    }

    func close() throws(StoreError) {
        do { try queue.close() } catch { throw StoreError(error, path: path) }
    }

    private func run<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        do { return try queue.inDatabase(body) } catch { throw StoreError(error, path: path) }
    }
}
