internal import AppStore
internal import AppleSync
internal import Intake
internal import LedgerStore
internal import Projection
internal import Service

/// The metrics of the service. Names and labels are stable, since dashboards use them.
public struct ServiceMetrics: Sendable {
    let registry = MetricRegistry()
    private let verify: MetricSeries
    private let append: MetricSeries
    private let project: MetricSeries
    private let lateness: MetricSeries
    private let remembered = InitialArrivals()

    /// The time of an app's last event from one source.
    static let lastEventName = "subledger_last_event_timestamp_seconds"

    private static let uploadFactsName = "subledger_upload_facts_total"
    private static let revocationName = "subledger_revocation_checks_total"
    private static let retentionName = "subledger_retention_answers_total"
    private static let unrecordedName = "subledger_retention_unrecorded_total"

    public init() {
        verify = registry.histogram("subledger_verify_seconds")
        append = registry.histogram("subledger_append_seconds")
        project = registry.histogram("subledger_project_seconds")
        lateness = registry.histogram(MetricRegistry.latenessName)
        // Created at the start: a counter that appears with its first increment has no rate.
        for reason in AuthenticationFailures.Reason.allCases { _ = failures(reason) }
        _ = registry.counter(ServiceMetrics.uploadFactsName)
        for outcome in RevocationChecks.Outcome.allCases { _ = revocations(outcome) }
        for outcome in RetentionRecord.Outcome.allCases { _ = retentions(outcome) }
        _ = registry.counter(ServiceMetrics.unrecordedName)
    }

    // MARK: Counting

    func verified(_ elapsed: Duration) { verify.record(elapsed) }
    func appended(_ elapsed: Duration) { append.record(elapsed) }

    func projected(_ environment: AppStore.Environment, eventCount: Int64, _ elapsed: Duration) {
        project.record(elapsed)
        registry.counter(
            "subledger_projected_events_total",
            [("environment", EnvironmentLedger.directoryName(environment))]
        ).add(eventCount)
    }

    func took(_ outcome: IntakeOutcome) {
        let environment = outcome.environment.map { EnvironmentLedger.directoryName($0) } ?? "none"
        registry.counter(
            "subledger_intake_total",
            [
                ("environment", environment), ("result", outcome.result),
                ("source", outcome.source),
            ]
        ).add()
        if outcome.isKept {
            registry.counter("subledger_quarantined_total", [("environment", environment)]).add()
        }
        // Only accepted deliveries name a configured app.
        guard outcome.isTaken else { return }
        if let milliseconds = outcome.latenessMilliseconds {
            lateness.record(Double(max(0, milliseconds)) / 1_000)
        }
        registry.gauge(
            ServiceMetrics.lastEventName,
            ServiceMetrics.arrivalLabels(
                outcome.bundleId ?? BundleId(""), outcome.environment, outcome.source)
        ).set(Double(outcome.receivedAt.milliseconds) / 1_000)
    }

    static func arrivalLabels(
        _ app: BundleId, _ environment: AppStore.Environment?, _ source: String
    ) -> [(String, String)] {
        let name = environment.map { EnvironmentLedger.directoryName($0) } ?? "none"
        return [("app", app.rawValue), ("environment", name), ("source", source)]
    }

    func answered(method: String, path: String, status: Int, _ elapsed: Duration) {
        let labels = [("method", method), ("path", path), ("status", String(status))]
        registry.counter("subledger_http_requests_total", labels).add()
        registry.histogram("subledger_http_request_seconds", [("path", path)]).record(elapsed)
    }

    func folded(_ factCount: Int) {
        registry.counter(ServiceMetrics.uploadFactsName).add(Int64(factCount))
    }

    func learned(_ outcome: RevocationChecks.Outcome) { revocations(outcome).add() }

    private func revocations(_ outcome: RevocationChecks.Outcome) -> MetricSeries {
        registry.counter(ServiceMetrics.revocationName, [("outcome", outcome.rawValue)])
    }

    func answeredRetention(_ outcome: RetentionRecord.Outcome) { retentions(outcome).add() }

    func lostRetentionRecords(_ count: Int) {
        registry.counter(ServiceMetrics.unrecordedName).add(Int64(count))
    }

    private func retentions(_ outcome: RetentionRecord.Outcome) -> MetricSeries {
        registry.counter(ServiceMetrics.retentionName, [("outcome", outcome.rawValue)])
    }

    func authenticationFailed(_ reason: AuthenticationFailures.Reason) {
        failures(reason).add()
    }

    private func failures(_ reason: AuthenticationFailures.Reason) -> MetricSeries {
        registry.counter("subledger_authentication_failures_total", [("reason", reason.rawValue)])
    }

    func reconciled(_ note: ReconcileNote) {
        for (outcome, count) in note.outcomes {
            registry.counter(
                "subledger_reconciled_chains_total",
                [
                    ("environment", EnvironmentLedger.directoryName(note.environment)),
                    ("outcome", outcome.rawValue),
                ]
            ).add(Int64(count))
        }
    }

    // MARK: Measuring

    /// All metrics, including those measured at scrape time.
    func text(_ host: LedgerHost, isReady: Bool, connectionCount: Int) async -> String {
        await remembered.emit(host, to: registry)
        registry.gauge("subledger_ready").set(isReady ? 1 : 0)
        let ahead = host.clockWatch.jumpMilliseconds ?? 0
        registry.gauge("subledger_clock_ahead_seconds").set(Double(ahead) / 1_000)
        registry.gauge("subledger_open_connections").set(Double(connectionCount))
        for ledger in host.ledgers {
            let gauges = await ledger.gauges(apps: host.appsWithKey)
            let labels = [("environment", EnvironmentLedger.directoryName(ledger.environment))]
            for (name, value) in gauges { registry.gauge("subledger_\(name)", labels).set(value) }
        }
        return registry.text()
    }
}

extension Duration {
    var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}
