internal import AppStore
internal import GRDB
public import Ledger
public import LedgerStore

/// Erasure of a person from operational state.
extension OperationsStore {
    public func erase(
        chains: [ChainId], ids: [String], positions: [Int64]
    ) async throws(StoreError) {
        try await write { database in
            try database.execute(sql: "PRAGMA secure_delete = ON")
            for chain in chains {
                for table in [
                    "clock_readings", "webhook_waiting", "lookups", "retention_answers",
                ] {
                    try database.run(
                        "DELETE FROM \(table) WHERE bundle_id = ? AND chain = ?", chain.bundleId,
                        chain.originalTransactionId)
                }
            }
            for id in ids {
                try database.run("DELETE FROM history_places WHERE id = ?", id)
                try database.run("DELETE FROM backfill_troubles WHERE id = ?", id)
                try database.run(
                    "DELETE FROM recovery_undelivered WHERE notification_uuid = ?", id)
                try database.run(
                    "DELETE FROM recovery_reports WHERE instr(json, ?) > 0", "\"\(id)\"")
                try database.run("DELETE FROM upload_keys WHERE key = ?", id)
            }
            for position in positions {
                try database.run("DELETE FROM upload_keys WHERE event_position = ?", position)
            }
        }
    }

    public func purge() async throws(StoreError) {
        try await read { database in
            try database.execute(sql: "VACUUM")
            _ = try database.checkpoint(.truncate)
        }
    }
}
