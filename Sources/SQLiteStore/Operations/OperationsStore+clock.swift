public import AppStore
internal import GRDB
public import Ledger
public import LedgerStore

/// The feed's clock: when it emitted changes that no event caused (`ChangeStream`).
extension OperationsStore {
    public func feedClock() async throws(StoreError) -> (
        end: ProjectionCursor, at: Timestamp, looksAgain: Bool
    )? {
        try await read { database in
            try database.rows("SELECT position, at, leaf_hash, looks_again FROM feed_clock") {
                row in
                (
                    end: ProjectionCursor(position: row.int64(0), leafHash: row.digest(2)),
                    at: row.time(1), looksAgain: row.int64(3) != 0
                )
            }.first
        }
    }

    public func keepClock(
        end: ProjectionCursor, at: Timestamp, chains: [ChainId]
    ) async throws(StoreError) {
        try await write { database in
            try database.insert(
                "INSERT OR REPLACE", into: "feed_clock",
                [
                    "id": 1, "position": end.position, "at": at, "leaf_hash": end.leafHash,
                    "looks_again": false,
                ])
            try FileTables(database: database).insertReadings(end: end, at: at, chains: chains)
        }
    }
}
