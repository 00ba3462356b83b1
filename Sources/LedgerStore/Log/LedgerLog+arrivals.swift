public import AppStore
package import Ledger

/// Walks over arrivals, newest first, in stretches of `LogLimits.scannedEventCount` positions, so
/// that each read is short.
extension LedgerLog {
    /// At most `limit` deliveries of an app's notifications, received at or after `since`. Ends
    /// where the log was appended to before `since`, however many of its stretches have none: a
    /// bulk append may hold no delivery of the app.
    ///
    /// - `now`: later deliveries are left out; they come from a wrong clock.
    /// - `count`: positions of one stretch.
    package func arrivals(
        of bundleId: BundleId, since: Timestamp, through now: Timestamp, limit: Int,
        by count: Int64 = LogLimits.scannedEventCount
    ) async throws(StoreError) -> [NotificationDelivery] {
        var found: [NotificationDelivery] = []
        var end = try await head().position
        while end > 0, found.count < limit {
            let start = max(0, end - count)
            let stretch = try await arrivals(of: bundleId, since: since, after: start, through: end)
            found += stretch.lazy.filter { $0.receivedAt <= now }.prefix(limit - found.count)
            let appended = try await firstAppend(after: start, through: end)
            if let appended, appended < since { break }
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
