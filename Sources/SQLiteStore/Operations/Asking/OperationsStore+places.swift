internal import AppStore
internal import GRDB
public import LedgerStore

/// Positions reached in histories.
extension OperationsStore {
    /// The position reached in this history; nil when there is none.
    public func place(_ key: HistoryPlace.Key) async throws(StoreError) -> HistoryPlace? {
        try await read { database in
            let select = try PreparedStatement(
                database,
                """
                SELECT revision, position, leaf_hash FROM history_places
                WHERE bundle_id = ? AND id = ? AND endpoint = ?
                """)
            select.bind(1, key.bundleId.rawValue)
            select.bind(2, key.id)
            select.bind(3, key.endpoint)
            defer { select.reset() }
            guard try select.step(), let revision = select.text(0) else { return nil }
            return HistoryPlace(
                revision: revision,
                log: ProjectionCursor(
                    position: select.int64(1),
                    leafHash: select.isNull(2) ? nil : select.digest(2)))
        }
    }

    /// Stores the position reached in a history; nil removes it.
    public func keep(
        _ place: HistoryPlace?, of key: HistoryPlace.Key
    ) async throws(StoreError) {
        try await write { database in
            let sql =
                place == nil
                ? "DELETE FROM history_places WHERE bundle_id = ? AND id = ? AND endpoint = ?"
                : """
                INSERT OR REPLACE INTO history_places
                    (bundle_id, id, endpoint, revision, position, leaf_hash)
                VALUES (?, ?, ?, ?, ?, ?)
                """
            let write = try PreparedStatement(database, sql)
            write.bind(1, key.bundleId.rawValue)
            write.bind(2, key.id)
            write.bind(3, key.endpoint)
            if let place {
                write.bind(4, place.revision)
                write.bind(5, place.log.position)
                write.bind(6, place.log.leafHash)
            }
            try write.runInsert()
        }
    }
}
