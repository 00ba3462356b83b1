internal import AppStore
public import Ledger

/// Erasure of a person from operational state.
extension OperationalState {
    /// Removes what is kept about chains, ids and positions: look-ups, places in histories,
    /// answers to retention requests, readings of the clock, waiting deliveries, keys of uploads,
    /// failures of backfills, undelivered notifications and reports that name one. Quarantined
    /// inputs are removed one by one.
    public func erase(
        chains: [ChainId], ids: [String], positions: [Int64]
    ) async throws(StoreError) {
        try await writeTables(.requests) { tables in
            // The longest statement, so before the count is held.
            for id in ids { try tables.eraseUploadKeys(containing: id) }
            // A report or an answer that is stored meanwhile is seen below, or refused.
            try tables.execute("UPDATE @erasure_count SET number = number + 1 WHERE id = 1")
            for id in ids { try tables.eraseReports(naming: id) }
            try tables.erase(chains: chains, ids: ids, positions: positions)
        }
    }
}

extension SQLTables {
    /// Removes reports that name an id, as a string of JSON.
    fileprivate func eraseReports(naming id: String) throws {
        let reported = String(decoding: JSONValue.string(id).encoded(), as: UTF8.self)
        try execute("DELETE FROM @recovery_reports WHERE \(contains("json"))", reported)
    }

    fileprivate func eraseUploadKeys(containing id: String) throws {
        guard id.utf8.count >= OperationsLimits.containedByteCount else { return }
        try execute("DELETE FROM @upload_keys WHERE \(contains("key"))", id)
    }

    /// Removes what is kept about chains, ids and positions, except reports that name an id.
    fileprivate func erase(chains: [ChainId], ids: [String], positions: [Int64]) throws {
        for chain in chains {
            for table in ["clock_readings", "webhook_waiting", "lookups", "retention_answers"] {
                try execute(
                    "DELETE FROM @\(table) WHERE bundle_id = $1::bytea AND chain = $2::bytea",
                    chain.bundleId, chain.originalTransactionId)
            }
        }
        // Columns that may hold an id of a person.
        let columns: KeyValuePairs = [
            "history_places": "id", "backfill_troubles": "id",
            "recovery_undelivered": "notification_uuid", "upload_keys": "key",
        ]
        for id in ids {
            for (table, column) in columns {
                try execute("DELETE FROM @\(table) WHERE \(column) = $1::bytea", id)
            }
        }
        for position in positions {
            try execute("DELETE FROM @upload_keys WHERE event_position = $1::bigint", position)
        }
    }
}
