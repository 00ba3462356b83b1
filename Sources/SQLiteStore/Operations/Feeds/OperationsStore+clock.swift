public import AppStore
internal import GRDB
public import Ledger
public import LedgerStore

/// The feed's clock: when it emitted changes that no event caused (`ChangeStream`).
extension OperationsStore {
    /// How far the clock has advanced, and the end of the log at that time; nil before the first
    /// time. The leaf hash is nil where an earlier release stored none; `looksAgain` is set where
    /// an earlier release may have left something out.
    public func feedClock() async throws(StoreError) -> (
        end: ProjectionCursor, at: Timestamp, looksAgain: Bool
    )? {
        try await read { database in
            let select = try PreparedStatement(
                database, "SELECT position, at, leaf_hash, looks_again FROM feed_clock")
            defer { select.reset() }
            guard try select.step() else { return nil }
            let end = ProjectionCursor(position: select.int64(0), leafHash: select.digest(2))
            return (end, Timestamp(milliseconds: select.int64(1)), select.int64(3) != 0)
        }
    }

    /// Stores that the clock advanced to `at` when the log ended at `end`, and which chains changed
    /// by that, in order. Committed before the changes are emitted.
    public func keepClock(
        end: ProjectionCursor, at: Timestamp, chains: [ChainId]
    ) async throws(StoreError) {
        try await write { database in
            let clock = try PreparedStatement(
                database,
                """
                INSERT OR REPLACE INTO feed_clock (id, position, at, leaf_hash, looks_again)
                VALUES (1, ?, ?, ?, 0)
                """)
            clock.bind(1, end.position)
            clock.bind(2, at.milliseconds)
            clock.bind(3, end.leafHash)
            try clock.runInsert()
            let insert = try PreparedStatement(
                database,
                """
                INSERT INTO clock_readings (position, at, ordinal, bundle_id, chain, leaf_hash)
                VALUES (?, ?, ?, ?, ?, ?)
                """)
            for (ordinal, chain) in chains.enumerated() {
                insert.bind(1, end.position)
                insert.bind(2, at.milliseconds)
                insert.bind(3, Int64(ordinal))
                insert.bind(4, chain.bundleId.rawValue)
                insert.bind(5, chain.originalTransactionId.rawValue)
                insert.bind(6, end.leafHash)
                try insert.runInsert()
            }
        }
    }

    /// The ends of the log at which readings were made, newest first, before `position`.
    public func readingEnds(
        before position: Int64, limit: Int
    ) async throws(StoreError) -> [ProjectionCursor] {
        try await read { database in
            let select = try PreparedStatement(
                database,
                """
                SELECT DISTINCT position, leaf_hash FROM clock_readings
                WHERE position < ? ORDER BY position DESC LIMIT ?
                """)
            select.bind(1, position)
            select.bind(2, Int64(max(1, limit)))
            defer { select.reset() }
            var found: [ProjectionCursor] = []
            while try select.step() {
                found.append(
                    ProjectionCursor(position: select.int64(0), leafHash: select.digest(1)))
            }
            return found
        }
    }

    /// Removes readings after `end`, which belonged to another log. The clock goes back to the
    /// newest remaining one, so that everything due since is evaluated again.
    public func forgetClock(after end: ProjectionCursor) async throws(StoreError) {
        try await write { database in
            let delete = try PreparedStatement(
                database, "DELETE FROM clock_readings WHERE position > ?")
            delete.bind(1, end.position)
            try delete.runInsert()
            let clock = try PreparedStatement(
                database,
                """
                UPDATE feed_clock SET position = ?1, leaf_hash = ?2,
                    at = min(at, coalesce((SELECT max(at) FROM clock_readings), 0))
                WHERE position > ?1
                """)
            clock.bind(1, end.position)
            clock.bind(2, end.leafHash)
            try clock.runInsert()
        }
    }

    /// The readings that concern each of the chains.
    public func clockReadings(
        of chains: [ChainId]
    ) async throws(StoreError) -> [ChainId: [ClockReading]] {
        try await read { database in
            let select = try PreparedStatement(
                database,
                """
                SELECT position, at, ordinal FROM clock_readings
                WHERE chain = ? AND bundle_id = ? ORDER BY position, at
                """)
            var found: [ChainId: [ClockReading]] = [:]
            for chain in chains {
                select.bind(1, chain.originalTransactionId.rawValue)
                select.bind(2, chain.bundleId.rawValue)
                while try select.step() {
                    found[chain, default: []].append(
                        ClockReading(
                            position: select.int64(0),
                            at: Timestamp(milliseconds: select.int64(1)),
                            ordinal: select.int64(2)))
                }
            }
            return found
        }
    }

    /// The chains of readings that may hold changes after the cursor, up to and including the
    /// position, in order; at most `limit`.
    public func clockReadings(
        after cursor: ChangePlace, through position: Int64, limit: Int
    ) async throws(StoreError) -> [(chain: ChainId, reading: ClockReading)] {
        try await read { database in
            let select = try PreparedStatement(
                database,
                """
                SELECT position, at, ordinal, bundle_id, chain FROM clock_readings
                WHERE (position, at, ordinal) >= (?, ?, ?) AND position <= ?
                ORDER BY position, at, ordinal LIMIT ?
                """)
            select.bind(1, cursor.position)
            select.bind(2, cursor.clock)
            select.bind(3, cursor.ordinal)
            select.bind(4, position)
            select.bind(5, Int64(max(1, limit)))
            defer { select.reset() }
            var found: [(chain: ChainId, reading: ClockReading)] = []
            while try select.step() {
                let chain = ChainId(
                    bundleId: BundleId(select.text(3) ?? ""),
                    originalTransactionId: OriginalTransactionId(select.text(4) ?? ""))
                let reading = ClockReading(
                    position: select.int64(0), at: Timestamp(milliseconds: select.int64(1)),
                    ordinal: select.int64(2))
                found.append((chain, reading))
            }
            return found
        }
    }
}
