public import AppStore
internal import GRDB
public import LedgerStore

/// Signed checkpoints of the log.
extension OperationsStore {
    public func keep(_ checkpoint: StoredCheckpoint) async throws(StoreError) {
        try await write { database in
            try database.insert(
                "INSERT OR REPLACE", into: "checkpoints",
                [
                    "size": checkpoint.size, "note": checkpoint.note,
                    "signed_at": checkpoint.signedAt,
                ])
        }
    }

    public func checkpoints(
        after size: Int64, limit: Int
    ) async throws(StoreError) -> [StoredCheckpoint] {
        try await read { database in
            try database.rows(
                """
                SELECT size, note, signed_at FROM checkpoints WHERE size > ?
                ORDER BY size LIMIT ?
                """, size, limit
            ) { OperationsStore.checkpoint($0) }
        }
    }

    public func checkpoints(
        before size: Int64, limit: Int
    ) async throws(StoreError) -> [StoredCheckpoint] {
        try await read { database in
            try database.rows(
                """
                SELECT size, note, signed_at FROM checkpoints WHERE size < ?
                ORDER BY size DESC LIMIT ?
                """, size, limit
            ) { OperationsStore.checkpoint($0) }
        }
    }

    private static func checkpoint(_ row: PreparedStatement) -> StoredCheckpoint {
        StoredCheckpoint(
            size: row.int64(0), note: row.requiredText(1), signedAt: row.time(2))
    }
}
