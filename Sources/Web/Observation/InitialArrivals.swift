internal import AppStore
internal import Intake
internal import Ledger
internal import Service
import Synchronization

/// Initial values of the last-event gauges, read from the log once per environment, as soon as it
/// has events. Without them an alert on silence would have no value until the next event arrives.
///
/// Read at the first scrape, so that it does not delay the start.
final class InitialArrivals: Sendable {
    /// Environments that were read.
    private let reported = Mutex<Set<AppStore.Environment>>([])

    /// Raises the gauge of every app and source to the log's value. A log that cannot be read now
    /// is read at the next scrape.
    func emit(_ host: LedgerHost, to metrics: ServiceMetrics) async {
        let apps = Array(Set(host.configuration.apps.map(\.bundleId)))
        for ledger in host.ledgers {
            guard !reported.withLock({ $0.contains(ledger.environment) }),
                let arrivals = try? await ledger.lastArrivals(of: apps), !arrivals.isEmpty
            else { continue }
            for arrival in arrivals {
                metrics.lastEvent(arrival.bundleId, ledger.environment, arrival.source.rawValue)
                    .raise(to: Double(arrival.receivedAt.milliseconds) / 1_000)
            }
            reported.withLock { _ = $0.insert(ledger.environment) }
        }
    }
}
