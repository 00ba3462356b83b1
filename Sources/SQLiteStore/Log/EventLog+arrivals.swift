public import AppStore
internal import GRDB
public import Ledger
public import LedgerStore

/// Arrival times of notifications, from which outages are detected.
extension EventLog {
    public func arrivals(
        of bundleId: BundleId, since: Timestamp, after position: Int64, through end: Int64
    ) async throws(StoreError) -> [NotificationDelivery] {
        try await read { database in
            try database.rows(
                """
                SELECT received_at, signed_at FROM events
                WHERE position > ? AND position <= ? AND kind = 1 AND bundle_id = ?
                    AND received_at >= ? AND signed_at IS NOT NULL
                    AND (source = 1 OR (source = 4 AND received_at_claimed = 1))
                ORDER BY position DESC
                """, position, end, bundleId, since
            ) { row in
                NotificationDelivery(
                    receivedAt: row.time(0).clamped, signedAt: row.time(1).clamped)
            }
        }
    }
}
