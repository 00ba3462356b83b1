public import AppStore
public import Ledger

/// Walks over arrivals, newest first, in stretches of `LogLimits.scannedEventCount` positions, so
/// that each read is short.
extension LedgerLog {
    /// At most `limit` deliveries of an app's notifications; ends at a stretch without any at or
    /// after `since`, once some are found.
    ///
    /// - `now`: later deliveries are left out; they come from a wrong clock.
    public func arrivals(
        of bundleId: BundleId, since: Timestamp, through now: Timestamp, limit: Int
    ) async throws(StoreError) -> [NotificationDelivery] {
        var found: [NotificationDelivery] = []
        var end = try await head().position
        while end > 0, found.count < limit {
            let start = max(0, end - LogLimits.scannedEventCount)
            let stretch = try await arrivals(of: bundleId, since: since, after: start, through: end)
            found += stretch.lazy.filter { $0.receivedAt <= now }.prefix(limit - found.count)
            if stretch.isEmpty, !found.isEmpty { break }
            end = start
        }
        return found
    }

    /// When the newest delivery of an app was received; nil without any.
    ///
    /// - `now`: later deliveries do not count.
    public func lastArrival(
        of bundleId: BundleId, through now: Timestamp
    ) async throws(StoreError) -> Timestamp? {
        let always = Timestamp(milliseconds: .min)
        var end = try await head().position
        while end > 0 {
            let start = max(0, end - LogLimits.scannedEventCount)
            let stretch = try await arrivals(
                of: bundleId, since: always, after: start, through: end)
            let last = stretch.lazy.map(\.receivedAt).filter { $0 <= now }.max()
            if let last { return last }
            end = start
        }
        return nil
    }
}
