package import AppStore
package import Ledger

/// Walks over arrivals (`LedgerLog.arrivals`), newest first, in stretches of
/// `LogLimits.scannedEventCount` positions, so that each read is short.
package enum Arrivals {
    package typealias Page = (
        _ after: Int64, _ through: Int64
    ) async throws(StoreError) -> [NotificationDelivery]

    /// At most `limit`, none later than `now`; ends after the first ones at a stretch without any.
    package static func newest(
        _ limit: Int, through now: Timestamp, before end: Int64, _ page: Page
    ) async throws(StoreError) -> [NotificationDelivery] {
        var found: [NotificationDelivery] = []
        var end = end
        while end > 0, found.count < limit {
            let start = max(0, end - LogLimits.scannedEventCount)
            let stretch = try await page(start, end)
            found += stretch.lazy.filter { $0.receivedAt <= now }.prefix(limit - found.count)
            if stretch.isEmpty, !found.isEmpty { break }
            end = start
        }
        return found
    }

    /// When the newest one was received that is not later than `now`.
    package static func last(
        through now: Timestamp, before end: Int64, _ page: Page
    ) async throws(StoreError) -> Timestamp? {
        var end = end
        while end > 0 {
            let start = max(0, end - LogLimits.scannedEventCount)
            let stretch = try await page(start, end)
            let last = stretch.lazy.map(\.receivedAt).filter { $0 <= now }.max()
            if let last { return last }
            end = start
        }
        return nil
    }
}
