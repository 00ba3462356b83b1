internal import GRDB
internal import LedgerStore

/// The checkpoints in a backup, or in the copy that becomes one: a table that logs do not have.
/// Blocks.
struct BackupCheckpoints: Sendable {
    let path: String

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
        try run(readOnly: true) { database in
            try FileTables(database: database).checkpoints(
                "size > $1::bigint ORDER BY size", size, limit)
        }
    }

    /// Removes the table, which turns the backup into a log.
    func remove() throws(StoreError) {
        try run { try $0.execute(sql: "DROP TABLE checkpoints") }
    }

    private func run<Value>(
        readOnly: Bool = false, _ body: (Database) throws -> Value
    ) throws(StoreError) -> Value {
        let configuration = Configuration(readOnly: readOnly, pragmas: ["trusted_schema = OFF"])
        do { return try DatabaseQueue.once(path, configuration, body) } catch {
            throw StoreError(error, path: path)
        }
    }
}
