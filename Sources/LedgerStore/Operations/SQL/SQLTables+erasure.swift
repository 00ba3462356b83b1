internal import AppStore
package import Ledger

/// Erasure of a person from operational state.
extension SQLTables {
    /// Keys of uploads are texts of clients' own, which may contain an id. Shorter ids stand in
    /// many keys that have nothing to do with them, and are compared with whole keys.
    package static var containedByteCount: Int { 8 }

    /// An id as a report holds it: a string of JSON.
    package static func reported(_ id: String) -> String {
        String(decoding: JSONValue.string(id).encoded(), as: UTF8.self)
    }

    /// Removes what is kept about chains, ids and positions, except reports that name an id, and
    /// counts the erasure.
    package func erase(chains: [ChainId], ids: [String], positions: [Int64]) throws {
        try execute("UPDATE @erasure_count SET number = number + 1 WHERE id = 1")
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
