public import Ledger

/// Positions reached in histories, and chains that were looked up because of their notices.
extension OperationalState {
    /// The position reached in this history; nil when there is none.
    public func place(_ key: HistoryPlace.Key) async throws(StoreError) -> HistoryPlace? {
        try await rows(
            """
            SELECT revision, position, leaf_hash FROM @history_places
            WHERE bundle_id = $1::bytea AND id = $2::bytea AND endpoint = $3::bytea
            """, key.bundleId, key.id, key.endpoint
        ) { row in
            HistoryPlace(
                revision: try row.requiredText(0),
                log: ProjectionCursor(position: try row.int64(1), leafHash: row.digest(2)))
        }.first
    }

    /// Stores the position reached in a history; nil removes it.
    public func keep(_ place: HistoryPlace?, of key: HistoryPlace.Key) async throws(StoreError) {
        try await writeTables(.requests) { tables in
            guard let place else {
                try tables.execute(
                    """
                    DELETE FROM @history_places
                    WHERE bundle_id = $1::bytea AND id = $2::bytea AND endpoint = $3::bytea
                    """, key.bundleId, key.id, key.endpoint)
                return
            }
            try tables.insert(
                into: "history_places",
                [
                    "bundle_id": key.bundleId, "id": key.id, "endpoint": key.endpoint,
                    "revision": place.revision, "position": place.log.position,
                    "leaf_hash": place.log.leafHash,
                ], replacing: ["bundle_id", "id", "endpoint"])
        }
    }

    /// Every chain that was looked up because of its notices and still had notices.
    public func lookups() async throws(StoreError) -> [ChainId: ChainLookup] {
        let all = try await rows(
            "SELECT bundle_id, chain, asked_at, times, notices FROM @lookups"
        ) { row in
            (
                try row.chainId(0),
                ChainLookup(
                    requestedAt: try row.time(2), times: Int(try row.int64(3)),
                    notices: try row.requiredText(4).split(separator: " ").map(String.init))
            )
        }
        return Dictionary(all) { $1 }
    }

    /// Stores when a chain was looked up; nil removes the entry, when no notices are left.
    public func keep(_ lookup: ChainLookup?, of chain: ChainId) async throws(StoreError) {
        try await writeTables(.requests) { tables in
            guard let lookup else {
                try tables.execute(
                    "DELETE FROM @lookups WHERE bundle_id = $1::bytea AND chain = $2::bytea",
                    chain.bundleId, chain.originalTransactionId)
                return
            }
            try tables.insert(
                into: "lookups",
                [
                    "bundle_id": chain.bundleId, "chain": chain.originalTransactionId,
                    "asked_at": lookup.requestedAt, "times": lookup.times,
                    "notices": lookup.notices.joined(separator: " "),
                ], replacing: ["bundle_id", "chain"])
        }
    }
}
