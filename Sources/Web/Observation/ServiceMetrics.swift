internal import AppStore
internal import AppleSync
import CoreMetrics
internal import Intake
internal import Projection
internal import Service
import Synchronization

/// The metrics of the service. Names and labels are stable, since dashboards use them.
public struct ServiceMetrics: Sendable {
    let registry = MetricRegistry()
    private let verify: Timer
    private let append: Timer
    private let project: Timer
    private let lateness: Recorder
    private let requests = RequestSeries()
    private let remembered = InitialArrivals()

    /// The time of an app's last event from one source.
    static let lastEventName = "subledger_last_event_timestamp_seconds"

    private static let uploadFactsName = "subledger_upload_facts_total"
    private static let revocationName = "subledger_revocation_checks_total"

    public init() {
        verify = Timer(label: "subledger_verify_seconds", dimensions: [], factory: registry)
        append = Timer(label: "subledger_append_seconds", dimensions: [], factory: registry)
        project = Timer(label: "subledger_project_seconds", dimensions: [], factory: registry)
        lateness = Recorder(
            label: MetricRegistry.latenessName, dimensions: [], aggregate: true,
            factory: registry)
        // Created at the start: a counter that appears with its first increment has no rate.
        for reason in AuthenticationFailures.Reason.allCases { _ = failures(reason) }
        _ = counter(ServiceMetrics.uploadFactsName, [])
        for outcome in RevocationChecks.Outcome.allCases { _ = revocations(outcome) }
    }

    // MARK: Counting

    func verified(_ elapsed: Duration) { verify.recordNanoseconds(elapsed.nanoseconds) }
    func appended(_ elapsed: Duration) { append.recordNanoseconds(elapsed.nanoseconds) }

    func projected(_ environment: AppStore.Environment, eventCount: Int64, _ elapsed: Duration) {
        project.recordNanoseconds(elapsed.nanoseconds)
        counter(
            "subledger_projected_events_total",
            [("environment", EnvironmentLedger.directoryName(environment))]
        ).increment(by: eventCount)
    }

    func took(_ outcome: IntakeOutcome) {
        let environment = outcome.environment.map { EnvironmentLedger.directoryName($0) } ?? "none"
        counter(
            "subledger_intake_total",
            [
                ("environment", environment), ("result", outcome.result),
                ("source", outcome.source),
            ]
        ).increment()
        if outcome.isKept {
            counter("subledger_quarantined_total", [("environment", environment)]).increment()
        }
        // Only accepted deliveries name a configured app.
        guard outcome.isTaken else { return }
        if let milliseconds = outcome.latenessMilliseconds {
            lateness.record(Double(max(0, milliseconds)) / 1_000)
        }
        gauge(
            ServiceMetrics.lastEventName,
            ServiceMetrics.arrivalLabels(
                outcome.bundleId ?? BundleId(""), outcome.environment, outcome.source),
            Double(outcome.receivedAt.milliseconds) / 1_000)
    }

    static func arrivalLabels(
        _ app: BundleId, _ environment: AppStore.Environment?, _ source: String
    ) -> [(String, String)] {
        let name = environment.map { EnvironmentLedger.directoryName($0) } ?? "none"
        return [("app", app.rawValue), ("environment", name), ("source", source)]
    }

    func answered(method: String, path: String, status: Int, _ elapsed: Duration) {
        let series = requests.series(method, path, status) {
            (
                counter(
                    "subledger_http_requests_total",
                    [("method", method), ("path", path), ("status", String(status))]),
                Timer(
                    label: "subledger_http_request_seconds", dimensions: [("path", path)],
                    factory: registry)
            )
        }
        series.count.increment()
        series.time.recordNanoseconds(elapsed.nanoseconds)
    }

    func folded(_ factCount: Int) {
        counter(ServiceMetrics.uploadFactsName, []).increment(by: Int64(factCount))
    }

    func learned(_ outcome: RevocationChecks.Outcome) { revocations(outcome).increment() }

    private func revocations(_ outcome: RevocationChecks.Outcome) -> Counter {
        counter(ServiceMetrics.revocationName, [("outcome", outcome.rawValue)])
    }

    func authenticationFailed(_ reason: AuthenticationFailures.Reason) {
        failures(reason).increment()
    }

    private func failures(_ reason: AuthenticationFailures.Reason) -> Counter {
        counter("subledger_authentication_failures_total", [("reason", reason.rawValue)])
    }

    func reconciled(_ note: ReconcileNote) {
        for (outcome, count) in note.outcomes {
            counter(
                "subledger_reconciled_chains_total",
                [
                    ("environment", EnvironmentLedger.directoryName(note.environment)),
                    ("outcome", outcome.rawValue),
                ]
            ).increment(by: Int64(count))
        }
    }

    private func counter(_ name: String, _ labels: [(String, String)]) -> Counter {
        Counter(label: name, dimensions: labels, factory: registry)
    }

    private func gauge(_ name: String, _ labels: [(String, String)], _ value: Double) {
        Meter(label: name, dimensions: labels, factory: registry).set(value)
    }

    // MARK: Measuring

    /// All metrics, including those measured at scrape time.
    func text(_ host: LedgerHost, isReady: Bool, connectionCount: Int) async -> String {
        await remembered.emit(host, to: registry)
        gauge("subledger_ready", [], isReady ? 1 : 0)
        let ahead = host.clockWatch.jumpMilliseconds ?? 0
        gauge("subledger_clock_ahead_seconds", [], Double(ahead) / 1_000)
        gauge("subledger_open_connections", [], Double(connectionCount))
        for ledger in host.ledgers {
            let gauges = await ledger.gauges()
            let labels = [("environment", EnvironmentLedger.directoryName(ledger.environment))]
            for (name, value) in gauges { gauge("subledger_\(name)", labels, value) }
        }
        return registry.text()
    }
}

extension Duration {
    var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}

/// The series of one kind of request, found without building labels each time.
private final class RequestSeries: Sendable {
    typealias Pair = (count: Counter, time: Timer)

    private struct Kind: Hashable {
        let method: String
        let path: String
        let status: Int
    }

    /// At most as many as the registry keeps; paths are routes, so there are far fewer.
    private let known = Mutex<[Kind: Pair]>([:])

    func series(_ method: String, _ path: String, _ status: Int, _ make: () -> Pair) -> Pair {
        let kind = Kind(method: method, path: path, status: status)
        if let known = known.withLock({ $0[kind] }) { return known }
        let made = make()
        known.withLock { known in
            if known.count < MetricRegistry.maximumSeriesCount { known[kind] = made }
        }
        return made
    }
}
