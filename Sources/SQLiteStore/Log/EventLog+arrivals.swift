public import AppStore
internal import GRDB
public import Ledger
public import LedgerStore

/// Arrival times of notifications, from which outages are detected.
extension EventLog {
    public func arrivals(
        of bundleId: BundleId, since: Timestamp, through now: Timestamp, limit: Int
    ) async throws(StoreError) -> [NotificationDelivery] {
        try await Arrivals.newest(limit, through: now, before: try await head().position) {
            after, end async throws(StoreError) in
            try await arrivals(of: bundleId, since: since, after: after, through: end)
        }
    }

    public func lastArrival(
        of bundleId: BundleId, through now: Timestamp
    ) async throws(StoreError) -> Timestamp? {
        let always = Timestamp(milliseconds: .min)
        return try await Arrivals.last(through: now, before: try await head().position) {
            after, end async throws(StoreError) in
            try await arrivals(of: bundleId, since: always, after: after, through: end)
        }
    }

    private func arrivals(
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
