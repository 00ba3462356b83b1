public import AppStore
internal import GRDB
internal import Ledger
public import LedgerStore

/// Input of completeness: sweeps, and notifications recorded after a sweep but signed before it.
extension EventLog {
    public func sweepPositions(
        through: Int64
    ) async throws(StoreError) -> [Int64] {
        try await read { database in
            try database.rows(
                """
                SELECT position FROM events INDEXED BY events_sweeps
                WHERE kind = 9 AND position <= ? ORDER BY position
                """, through
            ) { $0.int64(0) }
        }
    }

    public func erasurePositions(
        after position: Int64, through: Int64
    ) async throws(StoreError) -> [Int64] {
        try await read { database in
            try database.rows(
                """
                SELECT position FROM events INDEXED BY events_erasures
                WHERE kind = 10 AND position > ? AND position <= ? ORDER BY position
                """, position, through
            ) { $0.int64(0) }
        }
    }

    public func decisionPositions(
        after position: Int64, through end: Int64, limit: Int
    ) async throws(StoreError) -> [Int64] {
        try await read { database in
            try database.rows(
                """
                SELECT position FROM events
                WHERE position > ? AND position <= ? AND kind = 8 AND source <> 3
                ORDER BY position DESC LIMIT ?
                """, position, end, limit
            ) { $0.int64(0) }
        }
    }

    public func notifications(
        of bundleId: BundleId, signedFrom from: Timestamp, before: Timestamp,
        after position: Int64, through: Int64
    ) async throws(StoreError) -> (found: [LateNotification], next: Int64) {
        let end = min(through, position + LogLimits.scannedEventCount)
        let found = try await read { database in
            try database.rows(
                """
                SELECT position, received_at, signed_at FROM events
                WHERE position > ? AND position <= ? AND kind = 1 AND bundle_id = ?
                    AND signed_at >= ? AND signed_at < ?
                    AND (notification_type IS NULL OR notification_type <> 'TEST')
                ORDER BY position
                """, position, end, bundleId, from, before
            ) { row in
                LateNotification(
                    position: row.int64(0), receivedAt: row.time(1), signedAt: row.time(2))
            }
        }
        return (found, end)
    }

    public func event(key: Digest) async throws(StoreError) -> LoggedEvent? {
        let position = try await read { database in
            try database.rows("SELECT position FROM events WHERE key = ?", key) { $0.int64(0) }
                .first
        }
        guard let position else { return nil }
        return try await event(at: position)
    }

    public func position(ofKnown event: NewEvent) async throws(StoreError) -> Int64? {
        try await read { database in
            try database.rows(
                """
                SELECT position, evidence_hash, payload_hash FROM events WHERE key = ?1
                UNION ALL
                SELECT position, evidence_hash, payload_hash FROM events WHERE identity = ?1
                """, event.key
            ) { row in
                row.digest(1) == event.evidence.evidenceHash
                    || row.digest(2) == event.evidence.payloadHash ? row.int64(0) : nil
            }.first
        }
    }

    public func tree() async throws(StoreError) -> CompactRange {
        try await read { [path] database in try HeadRow.read(database, path: path).tree }
    }

    public func extended(
        _ tree: CompactRange, through end: Int64
    ) async throws(StoreError) -> CompactRange? {
        try await read { database in
            let select = try PreparedStatement(
                database,
                """
                SELECT position, leaf_hash FROM events
                WHERE position > ? AND position <= ? ORDER BY position
                """)
            select.bind(1, tree.size)
            select.bind(2, end)
            defer { select.reset() }
            var tree = tree
            while try select.step() {
                guard select.int64(0) == tree.size + 1, let leaf = select.digest(1) else {
                    return nil
                }
                tree.append(leaf)
            }
            return tree
        }
    }

    public func leafHashes(
        after position: Int64, through: Int64
    ) async throws(StoreError) -> [Digest] {
        try await read { database in
            try database.rows(
                """
                SELECT leaf_hash FROM events WHERE position > ? AND position <= ?
                ORDER BY position LIMIT ?
                """, position, through, LogLimits.scannedEventCount
            ) { $0.digest(0) }
        }
    }

    public var waiting: (eventCount: Int, byteCount: Int) { commits.waiting }

    public var writingSince: ContinuousClock.Instant? { commits.writingSince }
}
