internal import AppStore
public import Ledger
public import LedgerStore

/// Erasure of a person from operational state.
extension PostgresOperations {
    public func erase(
        chains: [ChainId], ids: [String], positions: [Int64]
    ) async throws(StoreError) {
        try await write(.requests) { transaction in
            for id in ids {
                _ = try transaction.run(
                    "DELETE FROM @recovery_reports WHERE position($1::bytea IN json) > 0",
                    SchemaTables.reported(id))
                guard id.utf8.count >= SchemaTables.containedByteCount else { continue }
                _ = try transaction.run(
                    "DELETE FROM @upload_keys WHERE position($1::bytea IN key) > 0", id)
            }
            try transaction.erase(chains: chains, ids: ids, positions: positions)
        }
    }

    public func purge() async throws(StoreError) {
        try await session.place.rewrite([
            "quarantine", "clock_readings", "webhook_waiting", "lookups", "history_places",
            "backfill_troubles", "recovery_undelivered", "recovery_reports", "upload_keys",
            "retention_answers",
        ])
    }
}
