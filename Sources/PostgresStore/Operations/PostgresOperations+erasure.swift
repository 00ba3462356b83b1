internal import AppStore
public import Ledger
public import LedgerStore

/// Erasure of a person from operational state.
extension PostgresOperations {
    public func erase(
        chains: [ChainId], ids: [String], positions: [Int64]
    ) async throws(StoreError) {
        try await write(.requests) { transaction in
            for chain in chains {
                for table in [
                    "clock_readings", "webhook_waiting", "lookups", "retention_answers",
                ] {
                    _ = try transaction.run(
                        "DELETE FROM @\(table) WHERE bundle_id = $1::bytea AND chain = $2::bytea",
                        chain.bundleId, chain.originalTransactionId)
                }
            }
            for id in ids {
                for place in PostgresOperations.places {
                    _ = try transaction.run(
                        "DELETE FROM @\(place.table) WHERE \(place.column) = $1::bytea", id)
                }
                _ = try transaction.run(
                    "DELETE FROM @recovery_reports WHERE position($1::bytea IN json) > 0",
                    "\"\(id)\"")
            }
            for position in positions {
                _ = try transaction.run(
                    "DELETE FROM @upload_keys WHERE event_position = $1::bigint", position)
            }
        }
    }

    /// Columns that may hold an id of a person.
    private static let places: [(table: String, column: String)] = [
        ("history_places", "id"), ("backfill_troubles", "id"),
        ("recovery_undelivered", "notification_uuid"), ("upload_keys", "key"),
    ]

    public func purge() async throws(StoreError) {
        try await session.place.rewrite([
            "quarantine", "clock_readings", "webhook_waiting", "lookups", "history_places",
            "backfill_troubles", "recovery_undelivered", "recovery_reports", "upload_keys",
            "retention_answers",
        ])
    }
}
