internal import AppStore
internal import Ledger
internal import Service
import Synchronization

/// What the log says about the time before this service started, told once to the metrics: the next
/// event, that would tell, is what an alert about silence waits for in vain.
///
/// Read when the metrics are asked for first, and not at the start, which it would hold up.
final class RememberedArrivals: Sendable {
    /// Environments that were looked through.
    private let told = Mutex<Set<AppStore.Environment>>([])

    /// Raises the gauge of every app and way to what the log says. A log that cannot be read now is
    /// looked through the next time.
    func tell(_ host: LedgerHost, to registry: MetricRegistry) async {
        let apps = Array(Set(host.configuration.apps.map(\.bundleId)))
        for ledger in host.ledgers {
            guard !told.withLock({ $0.contains(ledger.environment) }),
                let arrivals = try? await ledger.lastArrivals(of: apps)
            else { continue }
            for arrival in arrivals {
                registry.raise(
                    ServiceMetrics.lastEventName,
                    ServiceMetrics.arrivalLabels(
                        arrival.bundleId, ledger.environment, arrival.source.rawValue),
                    to: Double(arrival.receivedAt.milliseconds) / 1_000)
            }
            told.withLock { _ = $0.insert(ledger.environment) }
        }
    }
}
