public import AppStore
internal import GRDB
public import Ledger
public import LedgerStore

/// Arrival times of notifications, from which outages are detected.
extension EventLog {
    /// One delivery.
    /// A delivery with these times.
    /// Deliveries of an app's notifications, newest positions first: those that Apple made, and
    /// those whose time an import line states. At most `limit`; ends at a stretch of
    /// `LogLimits.scannedEventCount` positions that holds none at or after `since`.
    ///
    /// - Parameter now: later deliveries are left out; they come from a wrong clock.
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

    /// When the newest delivery of an app was received; nil without any.
    ///
    /// - Parameter now: later deliveries do not count.
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
            let select = try PreparedStatement(
                database,
                """
                SELECT received_at, signed_at FROM events
                WHERE position > ? AND position <= ? AND kind = 1 AND bundle_id = ?
                    AND received_at >= ? AND signed_at IS NOT NULL
                    AND (source = 1 OR (source = 4 AND received_at_claimed = 1))
                ORDER BY position DESC
                """)
            select.bind(1, position)
            select.bind(2, end)
            select.bind(3, bundleId.rawValue)
            select.bind(4, since.milliseconds)
            defer { select.reset() }
            var found: [NotificationDelivery] = []
            while try select.step() {
                found.append(
                    NotificationDelivery(
                        receivedAt: Timestamp(milliseconds: select.int64(0)).clamped,
                        signedAt: Timestamp(milliseconds: select.int64(1)).clamped))
            }
            return found
        }
    }
}
