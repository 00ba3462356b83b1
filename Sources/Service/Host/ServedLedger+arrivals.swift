public import AppStore
public import Ledger
public import LedgerStore
internal import Projection

/// The time of the last arrival of an app by a source.
public struct LastArrival: Hashable, Sendable {
    public let bundleId: BundleId
    public let source: EventSource
    public let receivedAt: Timestamp
}

extension ServedLedger {
    /// Pages of the log that are searched for the last arrivals: 20,000 events.
    public static let arrivalPageCount = 20

    /// The sources by which a service takes in events; it does not notice arrivals by others.
    private static let watched: [EventSource] = [.webhook, .client]

    /// The last arrivals of each app according to the log, for a service that has just started.
    /// Reads the newest `pages` of the log, and stops once everything is found.
    ///
    /// Where these contain no notification of an app, the time of the oldest event read stands in
    /// for it: a notification beyond them is older, and an app without any has been silent since
    /// then at least. Otherwise silence would not be reported at all. Empty for an empty log.
    public func lastArrivals(
        of apps: [BundleId], pages: Int = ServedLedger.arrivalPageCount
    ) async throws(StoreError) -> [LastArrival] {
        // A database that does not answer would keep a scrape of metrics waiting.
        if isDatabaseAway, let failure = projectionFailure { throw failure }
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
            // A time that an import claims is no arrival here.
            oldest = events.first { !$0.receivedAtClaimed }?.receivedAt ?? oldest
            end = start
            if found.count == apps.count * ServedLedger.watched.count { return found }
        }
        guard let oldest else { return found }
        let silent = apps.filter { app in
            !found.contains { $0.bundleId == app && $0.source == .webhook }
        }
        return found
            + silent.map { LastArrival(bundleId: $0, source: .webhook, receivedAt: oldest) }
    }
}
