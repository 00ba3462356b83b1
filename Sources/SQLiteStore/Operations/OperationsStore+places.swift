internal import AppStore
internal import GRDB
public import Ledger
public import LedgerStore

/// Positions reached in histories, and chains that were looked up because of their notices.
extension OperationsStore {
    public func place(_ key: HistoryPlace.Key) async throws(StoreError) -> HistoryPlace? {
        try await read { database in
            try database.rows(
                """
                SELECT revision, position, leaf_hash FROM history_places
                WHERE bundle_id = ? AND id = ? AND endpoint = ?
                """, key.bundleId, key.id, key.endpoint
            ) { row in
                HistoryPlace(
                    revision: row.requiredText(0),
                    log: ProjectionCursor(position: row.int64(1), leafHash: row.digest(2)))
            }.first
        }
    }

    public func keep(
        _ place: HistoryPlace?, of key: HistoryPlace.Key
    ) async throws(StoreError) {
        try await write { database in
            guard let place else {
                try database.run(
                    "DELETE FROM history_places WHERE bundle_id = ? AND id = ? AND endpoint = ?",
                    key.bundleId, key.id, key.endpoint)
                return
            }
            try database.insert(
                "INSERT OR REPLACE", into: "history_places",
                [
                    "bundle_id": key.bundleId, "id": key.id, "endpoint": key.endpoint,
                    "revision": place.revision, "position": place.log.position,
                    "leaf_hash": place.log.leafHash,
                ])
        }
    }

    public func lookups() async throws(StoreError) -> [ChainId: ChainLookup] {
        let all = try await read { database in
            try database.rows("SELECT bundle_id, chain, asked_at, times, notices FROM lookups") {
                row in
                (
                    row.chainId(0),
                    ChainLookup(
                        requestedAt: row.time(2), times: Int(row.int64(3)),
                        notices: row.requiredText(4).split(separator: " ").map(String.init))
                )
            }
        }
        return Dictionary(all) { $1 }
    }

    public func keep(
        _ lookup: ChainLookup?, of chain: ChainId
    ) async throws(StoreError) {
        try await write { database in
            guard let lookup else {
                try database.run(
                    "DELETE FROM lookups WHERE bundle_id = ? AND chain = ?", chain.bundleId,
                    chain.originalTransactionId)
                return
            }
            try database.insert(
                "INSERT OR REPLACE", into: "lookups",
                [
                    "bundle_id": chain.bundleId, "chain": chain.originalTransactionId,
                    "asked_at": lookup.requestedAt, "times": lookup.times,
                    "notices": lookup.notices.joined(separator: " "),
                ])
        }
    }
}
