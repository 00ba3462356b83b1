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
        try await write(.feeds) { transaction in
            try transaction.run(
                """
                INSERT INTO @feed_clock (id, position, at, leaf_hash)
                VALUES (1, $1::bigint, $2::bigint, $3::bytea)
                ON CONFLICT (id) DO UPDATE SET position = excluded.position, at = excluded.at,
                    leaf_hash = excluded.leaf_hash
                """, end.position, at, end.leafHash)
            for (ordinal, chain) in chains.enumerated() {
                try transaction.run(
                    """
                    INSERT INTO @clock_readings (position, at, ordinal, bundle_id, chain, leaf_hash)
                    VALUES ($1::bigint, $2::bigint, $3::bigint, $4::bytea, $5::bytea, $6::bytea)
                    """, end.position, at, ordinal, chain.bundleId, chain.originalTransactionId,
                    end.leafHash)
            }
        }
    }

    public func readingEnds(
        before position: Int64, limit: Int
    ) async throws(StoreError) -> [ProjectionCursor] {
        try await read { transaction in
            try transaction.run(
                """
                SELECT DISTINCT position, leaf_hash FROM @clock_readings
                WHERE position < $1::bigint ORDER BY position DESC LIMIT $2::bigint
                """, position, max(1, limit)
            ).rows.map { ProjectionCursor(position: try $0.int64(0), leafHash: $0.digest(1)) }
        }
    }

    public func forgetClock(after end: ProjectionCursor) async throws(StoreError) {
        try await write(.feeds) { transaction in
            try transaction.run(
                "DELETE FROM @clock_readings WHERE position > $1::bigint", end.position)
            try transaction.run(
                """
                UPDATE @feed_clock SET position = $1::bigint, leaf_hash = $2::bytea,
                    at = least(at, coalesce((SELECT max(at) FROM @clock_readings), 0))
                WHERE position > $1::bigint
                """, end.position, end.leafHash)
        }
    }

    public func clockReadings(
        of chains: [ChainId]
    ) async throws(StoreError) -> [ChainId: [ClockReading]] {
        try await read { transaction in
            var found: [ChainId: [ClockReading]] = [:]
            for chain in chains {
                let readings = try transaction.run(
                    """
                    SELECT position, at, ordinal FROM @clock_readings
                    WHERE chain = $1::bytea AND bundle_id = $2::bytea ORDER BY position, at
                    """, chain.originalTransactionId, chain.bundleId
                ).rows.map(PostgresOperations.reading)
                if !readings.isEmpty { found[chain] = readings }
            }
            return found
        }
    }

    public func clockReadings(
        after cursor: ChangePlace, through position: Int64, limit: Int
    ) async throws(StoreError) -> [(chain: ChainId, reading: ClockReading)] {
        try await read { transaction in
            try transaction.run(
                """
                SELECT position, at, ordinal, bundle_id, chain FROM @clock_readings
                WHERE (position, at, ordinal) >= ($1::bigint, $2::bigint, $3::bigint)
                    AND position <= $4::bigint
                ORDER BY position, at, ordinal LIMIT $5::bigint
                """, cursor.position, cursor.clock, cursor.ordinal, position, max(1, limit)
            ).rows.map { row in
                (chain: try row.chainId(3), reading: try PostgresOperations.reading(row))
            }
        }
    }

    private static func reading(_ row: ResultRow) throws(PostgresError) -> ClockReading {
        ClockReading(position: try row.int64(0), at: try row.time(1), ordinal: try row.int64(2))
    }
}
