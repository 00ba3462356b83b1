public import AppStore
public import Ledger

/// The feed's clock: when it emitted changes that no event caused (`ChangeStream`).
extension OperationalState {
    /// How far the clock has advanced, the end of the log at that time, and a hash of both and of
    /// the rules by which it emitted; nil before the first time. An earlier release leaves the
    /// hashes nil in a row it inserts, and `rules` of the row before in a row it updates.
    public func feedClock() async throws(StoreError) -> (
        end: ProjectionCursor, at: Timestamp, rules: Digest?
    )? {
        try await rows("SELECT position, at, leaf_hash, rules FROM @feed_clock") { row in
            (
                end: ProjectionCursor(position: try row.int64(0), leafHash: row.digest(2)),
                at: try row.time(1), rules: row.digest(3)
            )
        }.first
    }

    /// Stores that the clock advanced to `at` when the log ended at `end`, and the chains that this
    /// changed, in order, except those with ids too long for an index of PostgreSQL. Committed
    /// before the changes are emitted. `rules` is a hash of the rules by which chains change, of
    /// `at` and of the position. The column `looks_again` of SQLite files is unused.
    ///
    /// `last` is what the caller read or stored last. Throws `fileLocked` where another clock is
    /// stored, as after a failover to a standby that was behind: the readings of the caller's
    /// clock are lost, too.
    public func keepClock(
        end: ProjectionCursor, at: Timestamp, rules: Digest, chains: [ChainId],
        after last: (position: Int64, at: Timestamp)? = nil
    ) async throws(StoreError) {
        let chains = chains.filter {
            $0.bundleId.rawValue.utf8.count + $0.originalTransactionId.rawValue.utf8.count
                <= OperationsLimits.indexedByteCount
        }
        try await writeTables(.feeds) { [location] tables in
            if let last {
                let found = try tables.rows(
                    """
                    SELECT count(*) FROM @feed_clock
                    WHERE position = $1::bigint AND at = $2::bigint
                    """, last.position, last.at
                ) { try $0.int64(0) }
                guard found == [1] else {
                    throw StoreError(
                        .fileLocked, path: location,
                        reason: "The clock of the feed is not the one that was stored last.",
                        remedy: "Nothing was written; the feed continues from what is stored.")
                }
            }
            try tables.execute(
                """
                INSERT INTO @feed_clock (id, position, at, leaf_hash, rules)
                VALUES (1, $1::bigint, $2::bigint, $3::bytea, $4::bytea)
                ON CONFLICT (id) DO UPDATE SET position = excluded.position, at = excluded.at,
                    leaf_hash = excluded.leaf_hash, rules = excluded.rules
                """, end.position, at, end.leafHash, rules)
            for some in Array(chains.enumerated()).pieces(of: OperationsLimits.readingCount) {
                try tables.execute(
                    """
                    INSERT INTO @clock_readings (position, at, ordinal, bundle_id, chain, leaf_hash)
                    VALUES ($1::bigint, $2::bigint, $3::bigint, $4::bytea, $5::bytea, $6::bytea)
                    """,
                    each: some.map { ordinal, chain -> [(any BoundValue)?] in
                        [
                            end.position, at, ordinal, chain.bundleId,
                            chain.originalTransactionId, end.leafHash,
                        ]
                    })
            }
        }
    }

    /// The ends of the log at which readings were made, newest first, before `position`.
    public func readingEnds(
        before position: Int64, limit: Int
    ) async throws(StoreError) -> [ProjectionCursor] {
        try await rows(
            """
            SELECT DISTINCT position, leaf_hash FROM @clock_readings
            WHERE position < $1::bigint ORDER BY position DESC LIMIT $2::bigint
            """, position, max(1, limit)
        ) { ProjectionCursor(position: try $0.int64(0), leafHash: $0.digest(1)) }
    }

    /// Removes readings after `end`, which belonged to another log. The clock goes back to the
    /// newest remaining one, so that everything due since is evaluated again.
    public func forgetClock(after end: ProjectionCursor) async throws(StoreError) {
        try await writeTables(.feeds) { tables in
            try tables.execute(
                "DELETE FROM @clock_readings WHERE position > $1::bigint", end.position)
            try tables.execute(
                """
                UPDATE @feed_clock SET position = $1::bigint, leaf_hash = $2::bytea,
                    at = least(at, coalesce((SELECT max(at) FROM @clock_readings), 0))
                WHERE position > $1::bigint
                """, end.position, end.leafHash)
        }
    }

    /// The readings that concern each of the chains, in order; one round trip reads them all.
    public func clockReadings(
        of chains: [ChainId]
    ) async throws(StoreError) -> [ChainId: [ClockReading]] {
        guard !chains.isEmpty else { return [:] }
        let readings = try await readTables { tables in
            try tables.rows(
                """
                SELECT position, at, ordinal FROM @clock_readings
                WHERE chain = $1::bytea AND bundle_id = $2::bytea ORDER BY position, at
                """, each: chains.map { [$0.originalTransactionId, $0.bundleId] }
            ) { try $0.clockReading() }
        }
        return Dictionary(zip(chains, readings)) { one, _ in one }.filter { !$0.value.isEmpty }
    }

    /// The chains of readings that may hold changes after the cursor, up to and including the
    /// position, in order; at most `limit`.
    public func clockReadings(
        after cursor: ChangePlace, through position: Int64, limit: Int
    ) async throws(StoreError) -> [(chain: ChainId, reading: ClockReading)] {
        try await rows(
            """
            SELECT position, at, ordinal, bundle_id, chain FROM @clock_readings
            WHERE (position, at, ordinal) >= ($1::bigint, $2::bigint, $3::bigint)
                AND position <= $4::bigint
            ORDER BY position, at, ordinal LIMIT $5::bigint
            """, cursor.position, cursor.clock, cursor.ordinal, position, max(1, limit)
        ) { (chain: try $0.chainId(3), reading: try $0.clockReading()) }
    }
}

extension SQLRow {
    fileprivate func clockReading() throws -> ClockReading {
        ClockReading(position: try int64(0), at: try time(1), ordinal: try int64(2))
    }
}
