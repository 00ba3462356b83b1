public import AppStore
public import Ledger
public import LedgerStore
internal import Projection
internal import SQLiteStore

/// When something last came, by app and way.
public struct LastArrival: Hashable, Sendable {
    public let bundleId: BundleId
    public let source: EventSource
    public let receivedAt: Timestamp
}

extension ServedLedger {
    /// Pages of the log that are looked through for what came last: 20,000 events.
    public static let arrivalPageCount = 20

    /// The ways on which a service takes events in: of others it would not notice the next one.
    private static let watched: [EventSource] = [.webhook, .client]

    /// When each app's last events came, as the log says: what a service that has just started knows
    /// of the time before it. Looks at the newest `pages` of the log, and no further once everything
    /// is found.
    ///
    /// Where that is not the whole log and an app's notifications are not among it, the time of the
    /// oldest event looked at stands for them: they are older than that. Silence is told by it, if
    /// later than it could be; without any it would not be told at all.
    public func lastArrivals(
        of apps: [BundleId], pages: Int = ServedLedger.arrivalPageCount
    ) async throws(StoreError) -> [LastArrival] {
        var found: [LastArrival] = []
        var oldest: Timestamp?
        var end = try await ledger.log.head().position
        for _ in 0..<pages where end > 0 {
            let start = max(0, end - Int64(LogLimits.pageEventCount))
            let events = try await ledger.log.events(after: start, through: end, damaged: .marked)
            for event in events.reversed() {
                let (app, source) = (event.attributes.bundleId, event.attributes.source)
                guard apps.contains(app), ServedLedger.watched.contains(source),
                    !found.contains(where: { $0.bundleId == app && $0.source == source })
                else { continue }
                found.append(
                    LastArrival(bundleId: app, source: source, receivedAt: event.receivedAt))
            }
            oldest = events.first?.receivedAt ?? oldest
            end = start
            if found.count == apps.count * ServedLedger.watched.count { return found }
        }
        guard end > 0, let oldest else { return found }
        let silent = apps.filter { app in
            !found.contains { $0.bundleId == app && $0.source == .webhook }
        }
        return found
            + silent.map { LastArrival(bundleId: $0, source: .webhook, receivedAt: oldest) }
    }
}
