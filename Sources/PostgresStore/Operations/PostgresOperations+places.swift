internal import AppStore
public import Ledger
public import LedgerStore

/// Positions reached in histories, and chains that were looked up because of their notices.
extension PostgresOperations {
    public func place(_ key: HistoryPlace.Key) async throws(StoreError) -> HistoryPlace? {
        try await read { transaction in
            let row = try transaction.run(
                """
                SELECT revision, position, leaf_hash FROM @history_places
                WHERE bundle_id = $1::bytea AND id = $2::bytea AND endpoint = $3::bytea
                """, key.bundleId, key.id, key.endpoint
            ).first
            return try row.map { row in
                HistoryPlace(
                    revision: try row.requiredText(0),
                    log: ProjectionCursor(position: try row.int64(1), leafHash: row.digest(2)))
            }
        }
    }

    public func keep(_ place: HistoryPlace?, of key: HistoryPlace.Key) async throws(StoreError) {
        try await write(.requests) { transaction in
            guard let place else {
                try transaction.run(
                    """
                    DELETE FROM @history_places
                    WHERE bundle_id = $1::bytea AND id = $2::bytea AND endpoint = $3::bytea
                    """, key.bundleId, key.id, key.endpoint)
                return
            }
            try transaction.run(
                """
                INSERT INTO @history_places (bundle_id, id, endpoint, revision, position, leaf_hash)
                VALUES ($1::bytea, $2::bytea, $3::bytea, $4::bytea, $5::bigint, $6::bytea)
                ON CONFLICT (bundle_id, id, endpoint) DO UPDATE SET revision = excluded.revision,
                    position = excluded.position, leaf_hash = excluded.leaf_hash
                """, key.bundleId, key.id, key.endpoint, place.revision, place.log.position,
                place.log.leafHash)
        }
    }

    public func lookups() async throws(StoreError) -> [ChainId: ChainLookup] {
        let all = try await read { transaction in
            try transaction.run("SELECT bundle_id, chain, asked_at, times, notices FROM @lookups")
                .rows.map { row in
                    (
                        try row.chainId(0),
                        ChainLookup(
                            requestedAt: try row.time(2), times: Int(try row.int64(3)),
                            notices: try row.requiredText(4).split(separator: " ")
                                .map(String.init))
                    )
                }
        }
        return Dictionary(all) { $1 }
    }

    public func keep(_ lookup: ChainLookup?, of chain: ChainId) async throws(StoreError) {
        try await write(.requests) { transaction in
            guard let lookup else {
                try transaction.run(
                    "DELETE FROM @lookups WHERE bundle_id = $1::bytea AND chain = $2::bytea",
                    chain.bundleId, chain.originalTransactionId)
                return
            }
            try transaction.run(
                """
                INSERT INTO @lookups (bundle_id, chain, asked_at, times, notices)
                VALUES ($1::bytea, $2::bytea, $3::bigint, $4::bigint, $5::bytea)
                ON CONFLICT (bundle_id, chain) DO UPDATE SET asked_at = excluded.asked_at,
                    times = excluded.times, notices = excluded.notices
                """, chain.bundleId, chain.originalTransactionId, lookup.requestedAt, lookup.times,
                lookup.notices.joined(separator: " "))
        }
    }
}

extension ResultRow {
    /// The chain that a bundle id and the column after it name.
    func chainId(_ column: Int32) throws(PostgresError) -> ChainId {
        ChainId(
            bundleId: BundleId(try requiredText(column)),
            originalTransactionId: OriginalTransactionId(try requiredText(column + 1)))
    }
}
