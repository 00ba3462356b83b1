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
            for (ordinal, chain) in chains.enumerated() {
                try database.insert(
                    into: "clock_readings",
                    [
                        "position": end.position, "at": at, "ordinal": ordinal,
                        "bundle_id": chain.bundleId, "chain": chain.originalTransactionId,
                        "leaf_hash": end.leafHash,
                    ])
            }
        }
    }

    public func readingEnds(
        before position: Int64, limit: Int
    ) async throws(StoreError) -> [ProjectionCursor] {
        try await read { database in
            try database.rows(
                """
                SELECT DISTINCT position, leaf_hash FROM clock_readings
                WHERE position < ? ORDER BY position DESC LIMIT ?
                """, position, max(1, limit)
            ) { ProjectionCursor(position: $0.int64(0), leafHash: $0.digest(1)) }
        }
    }

    public func forgetClock(after end: ProjectionCursor) async throws(StoreError) {
        try await write { database in
            try database.run("DELETE FROM clock_readings WHERE position > ?", end.position)
            try database.run(
                """
                UPDATE feed_clock SET position = ?1, leaf_hash = ?2,
                    at = min(at, coalesce((SELECT max(at) FROM clock_readings), 0))
                WHERE position > ?1
                """, end.position, end.leafHash)
        }
    }

    public func clockReadings(
        of chains: [ChainId]
    ) async throws(StoreError) -> [ChainId: [ClockReading]] {
        try await read { database in
            var found: [ChainId: [ClockReading]] = [:]
            for chain in chains {
                let readings = try database.rows(
                    """
                    SELECT position, at, ordinal FROM clock_readings
                    WHERE chain = ? AND bundle_id = ? ORDER BY position, at
                    """, chain.originalTransactionId, chain.bundleId,
                    read: OperationsStore.reading)
                if !readings.isEmpty { found[chain] = readings }
            }
            return found
        }
    }

    public func clockReadings(
        after cursor: ChangePlace, through position: Int64, limit: Int
    ) async throws(StoreError) -> [(chain: ChainId, reading: ClockReading)] {
        try await read { database in
            try database.rows(
                """
                SELECT position, at, ordinal, bundle_id, chain FROM clock_readings
                WHERE (position, at, ordinal) >= (?, ?, ?) AND position <= ?
                ORDER BY position, at, ordinal LIMIT ?
                """, cursor.position, cursor.clock, cursor.ordinal, position, max(1, limit)
            ) { (chain: $0.chainId(3), reading: OperationsStore.reading($0)) }
        }
    }

    private static func reading(_ row: PreparedStatement) -> ClockReading {
        ClockReading(position: row.int64(0), at: row.time(1), ordinal: row.int64(2))
    }
}
