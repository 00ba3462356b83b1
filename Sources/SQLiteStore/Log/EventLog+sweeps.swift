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
}
