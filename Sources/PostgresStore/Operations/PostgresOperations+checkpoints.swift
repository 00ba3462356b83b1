internal import AppStore
public import LedgerStore

/// Signed checkpoints of the log.
extension PostgresOperations {
    public func keep(_ checkpoint: StoredCheckpoint) async throws(StoreError) {
        try await write(.requests) { transaction in
            _ = try transaction.run(
                """
                INSERT INTO @checkpoints (size, note, signed_at)
                VALUES ($1::bigint, $2::bytea, $3::bigint)
                ON CONFLICT (size) DO UPDATE SET note = excluded.note,
                    signed_at = excluded.signed_at
                """, checkpoint.size, checkpoint.note, checkpoint.signedAt)
        }
    }

    public func checkpoints(
        after size: Int64, limit: Int
    ) async throws(StoreError) -> [StoredCheckpoint] {
        try await read { transaction in
            try transaction.run(
                """
                SELECT size, note, signed_at FROM @checkpoints WHERE size > $1::bigint
                ORDER BY size LIMIT $2::bigint
                """, size, limit
            ).rows.map { try PostgresOperations.checkpoint($0) }
        }
    }

    public func checkpoints(
        before size: Int64, limit: Int
    ) async throws(StoreError) -> [StoredCheckpoint] {
        try await read { transaction in
            try transaction.run(
                """
                SELECT size, note, signed_at FROM @checkpoints WHERE size < $1::bigint
                ORDER BY size DESC LIMIT $2::bigint
                """, size, limit
            ).rows.map { try PostgresOperations.checkpoint($0) }
        }
    }

    private static func checkpoint(_ row: ResultRow) throws -> StoredCheckpoint {
        StoredCheckpoint(
            size: try row.int64(0), note: try row.requiredText(1), signedAt: try row.time(2))
    }
}
