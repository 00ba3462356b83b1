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
            for id in ids {
                try database.run(
                    "DELETE FROM recovery_reports WHERE instr(json, ?) > 0",
                    FileTables.reported(id))
                guard id.utf8.count >= FileTables.containedByteCount else { continue }
                try database.run("DELETE FROM upload_keys WHERE instr(key, ?) > 0", id)
            }
            try FileTables(database: database).erase(chains: chains, ids: ids, positions: positions)
        }
    }

    public func purge() async throws(StoreError) {
        try await read { database in
            try database.execute(sql: "VACUUM")
            _ = try database.checkpoint(.truncate)
        }
    }
}
