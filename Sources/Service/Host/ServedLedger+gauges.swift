import AppStore
import Foundation
import Ledger
internal import LedgerStore
internal import Projection
internal import SQLiteStore

extension ServedLedger {
    /// Metrics computed on request, by name (Prometheus naming: the unit last).
    ///
    /// - Parameter apps: those with an API key, usable or not.
    /// - Parameter sweeps: whether this service sweeps their histories automatically.
    public func gauges(
        apps: [BundleId], sweeps: Bool = true
    ) async -> [(name: String, value: Double)] {
        let (positions, time) = lag
        let waiting = ledger.log.waiting
        var gauges: [(name: String, value: Double)] = [
            ("log_position", Double(head)),
            ("projected_position", Double(projectedPosition ?? 0)),
            ("lag_positions", Double(positions)),
            ("lag_seconds", time / .seconds(1)),
            ("append_queue_events", Double(waiting.eventCount)),
            ("append_queue_bytes", Double(waiting.byteCount)),
            ("projection_failing", projectionFailure == nil ? 0 : 1),
            ("append_failing", obstacle == nil && !isStalled(at: .now) ? 0 : 1),
        ]
        // Of the app farthest behind of those with a certain window, and how many have none.
        let ends = apps.compactMap { ledger.complete(of: $0, .everything, head: head)?.through }
        if let through = ends.min() {
            gauges.append(("complete_through_seconds", Double(through.milliseconds) / 1_000))
        }
        // An empty ledger has missed nothing, and Apple has no history of a local environment.
        let isSwept = sweeps && head > 0 && LedgerHost.usualEnvironments.contains(environment)
        gauges.append(("apps_never_swept", isSwept ? Double(apps.count - ends.count) : 0))
        if !isDatabaseAway, let count = await quarantineCount() {
            gauges.append(("quarantine_items", Double(count)))
        }
        let (log, directory) = (ledger.log.location, ledger.directory)
        gauges += await Blocking.run {
            [
                ("log_bytes", ServedLedger.byteCount(log)),
                ("wal_bytes", ServedLedger.byteCount(log + "-wal")),
                ("disk_free_bytes", Double(FreeDiskSpace.freeByteCount(directory) ?? 0)),
            ]
        }
        return gauges
    }

    /// The number of quarantined items; nil where it cannot be read within `quarantineLimit`.
    private func quarantineCount() async -> Int? {
        await first(by: .now + ServedLedger.quarantineLimit) { [operations = ledger.operations] in
            try? await operations.quarantineCount()
        } ?? nil
    }

    /// A database that does not answer would keep a scrape waiting, and all gauges with it, beyond
    /// the time that a scrape has: 10 s by default, for all environments.
    static let quarantineLimit: Duration = .seconds(2)

    private static func byteCount(_ path: String) -> Double {
        stat.at(path).map { Double($0.st_size) } ?? 0
    }
}
