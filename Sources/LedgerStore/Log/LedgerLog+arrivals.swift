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
    /// - `end`: the last position read.
    /// - `count`: positions of one stretch.
    package func arrivals(
        of bundleId: BundleId, since: Timestamp, through now: Timestamp, upTo end: Int64,
        limit: Int, by count: Int64 = LogLimits.scannedEventCount
    ) async throws(StoreError) -> [NotificationDelivery] {
        var found: [NotificationDelivery] = []
        var end = end
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
    /// - `end`: the last position read.
    public func lastArrival(
        of bundleId: BundleId, through now: Timestamp, upTo end: Int64
    ) async throws(StoreError) -> Timestamp? {
        var end = end
        while let stretch = try await lastArrivals(of: bundleId, after: 0, through: end) {
            let last = stretch.found.lazy.map(\.receivedAt).filter { $0 <= now }.max()
            if let last { return last }
            end = stretch.start
        }
        return nil
    }

    /// The newest stretch after `position` that has deliveries of an app, and these; nil without
    /// any.
    ///
    /// - `count`: positions of one stretch.
    package func lastArrivals(
        of bundleId: BundleId, after position: Int64, through end: Int64,
        by count: Int64 = LogLimits.scannedEventCount
    ) async throws(StoreError) -> (found: [NotificationDelivery], start: Int64, end: Int64)? {
        var end = end
        while end > position {
            let start = max(position, end - count)
            let found = try await arrivals(
                of: bundleId, since: Timestamp(milliseconds: .min), after: start, through: end)
            if !found.isEmpty { return (found, start, end) }
            end = start
        }
        return nil
    }
}
