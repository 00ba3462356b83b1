public import AppStore
public import Ledger
public import LedgerStore

/// The feed's clock: when it emitted changes that no event caused (`ChangeStream`).
extension PostgresOperations {
    public func feedClock() async throws(StoreError) -> (
        end: ProjectionCursor, at: Timestamp, looksAgain: Bool
    )? {
        try await read { transaction in
            let row = try transaction.run("SELECT position, at, leaf_hash FROM @feed_clock").first
            return try row.map { row in
                // No release before this one kept a clock here.
                (
                    end: ProjectionCursor(position: try row.int64(0), leafHash: row.digest(2)),
                    at: try row.time(1), looksAgain: false
                )
            }
        }
    }

    public func keepClock(
        end: ProjectionCursor, at: Timestamp, chains: [ChainId]
    ) async throws(StoreError) {
        // The index on chains refuses longer ids.
        let chains = chains.filter {
            $0.bundleId.rawValue.utf8.count + $0.originalTransactionId.rawValue.utf8.count
                <= PostgresLimits.indexedByteCount
        }
        try await write(.feeds) { transaction in
            try transaction.run(
                """
                INSERT INTO @feed_clock (id, position, at, leaf_hash)
                VALUES (1, $1::bigint, $2::bigint, $3::bytea)
                ON CONFLICT (id) DO UPDATE SET position = excluded.position, at = excluded.at,
                    leaf_hash = excluded.leaf_hash
                """, end.position, at, end.leafHash)
            try transaction.insertReadings(end: end, at: at, chains: chains)
        }
    }
}
