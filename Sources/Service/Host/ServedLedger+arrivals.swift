package import AppStore
package import Ledger
internal import Projection

/// The time of the last arrival of an app by a source.
package struct LastArrival: Hashable, Sendable {
    package let bundleId: BundleId
    package let source: EventSource
    package let receivedAt: Timestamp
}

extension ServedLedger {
    /// The sources by which a service takes in events; it does not notice arrivals by others.
    private static let watched: Set<EventSource> = [.webhook, .client]

    /// The last arrivals of each app according to the newest events of the log, for a service that
    /// has just started.
    ///
    /// Where these contain no notification of an app, the time of the oldest event read stands in
    /// for it: a notification beyond them is older, and an app without any has been silent since
    /// then at least. Otherwise silence would not be reported at all. Empty for an empty log.
    package func lastArrivals(
        of apps: [BundleId], atMost count: Int64 = IntakeStatus.searchedEventCount
    ) async throws -> [LastArrival] {
        // A database that does not answer would keep a scrape of metrics waiting.
        if isDatabaseAway, let failure = projectionFailure { throw failure }
        let known = try await arrivals.newest(in: ledger.log, atMost: count)
        return apps.flatMap { app in
            var found = known.apps[app]?.receivedAt ?? [:]
            found[.webhook] = found[.webhook] ?? known.oldestAt
            return found.filter { ServedLedger.watched.contains($0.key) }
                .map { LastArrival(bundleId: app, source: $0.key, receivedAt: $0.value) }
        }
    }
}
