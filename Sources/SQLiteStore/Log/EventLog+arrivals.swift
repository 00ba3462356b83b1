public import AppStore
internal import GRDB
public import Ledger
public import LedgerStore

/// Arrival times of notifications, from which outages are detected.
extension EventLog {
    public func arrivals(
        of bundleId: BundleId, since: Timestamp, through now: Timestamp, limit: Int
    ) async throws(StoreError) -> [NotificationDelivery] {
        var found: [NotificationDelivery] = []
        var end = try await head().position
        while end > 0, found.count < limit {
            let start = max(0, end - LogLimits.scannedEventCount)
            let page = try await arrivals(of: bundleId, since: since, after: start, through: end)
            found += page.lazy.filter { $0.receivedAt <= now }.prefix(limit - found.count)
            if page.isEmpty, !found.isEmpty { break }
            end = start
        }
        return found
    }

    public func lastArrival(
        of bundleId: BundleId, through now: Timestamp
    ) async throws(StoreError) -> Timestamp? {
        var end = try await head().position
        while end > 0 {
            let start = max(0, end - LogLimits.scannedEventCount)
            let page = try await arrivals(
                of: bundleId, since: Timestamp(milliseconds: .min), after: start, through: end)
            let last = page.lazy.map(\.receivedAt).filter { $0 <= now }.max()
            if let last { return last }
            end = start
        }
        return nil
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
