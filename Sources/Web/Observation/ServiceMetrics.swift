internal import AppStore
internal import Intake
internal import LedgerStore
internal import Projection
internal import Service

/// The metrics of the service. Names and labels are stable, since dashboards use them.
public struct ServiceMetrics: Sendable {
    let registry = MetricRegistry()
    let verify: MetricSeries
    let append: MetricSeries
    let project: MetricSeries
    let lateness: MetricSeries
    let uploadFacts: MetricSeries
    let unrecordedRetentions: MetricSeries
    private let initialArrivals = InitialArrivals()

    public init() {
        verify = registry.histogram("subledger_verify_seconds")
        append = registry.histogram("subledger_append_seconds")
        project = registry.histogram("subledger_project_seconds")
        lateness = registry.histogram(
            "subledger_lateness_seconds", bounds: MetricRegistry.latenessBounds)
        // Created at the start: a counter that appears with its first increment has no rate.
        uploadFacts = registry.counter("subledger_upload_facts_total")
        unrecordedRetentions = registry.counter("subledger_retention_unrecorded_total")
        for reason in AuthenticationFailures.Reason.allCases { _ = failures(reason) }
        for outcome in RevocationChecks.Outcome.allCases { _ = revocations(outcome) }
        for outcome in RetentionRecord.Outcome.allCases { _ = retentions(outcome) }
    }

    // MARK: Counting

    /// The time of an app's last event from one source.
    func lastEvent(
        _ app: BundleId, _ environment: AppStore.Environment?, _ source: String
    ) -> MetricSeries {
        let name = environment.map { EnvironmentLedger.directoryName($0) } ?? "none"
        return registry.gauge(
            "subledger_last_event_timestamp_seconds",
            [("app", app.rawValue), ("environment", name), ("source", source)])
    }

    func answered(method: String, path: String, status: Int, _ elapsed: Duration) {
        let labels = [("method", method), ("path", path), ("status", String(status))]
        registry.counter("subledger_http_requests_total", labels).add()
        registry.histogram("subledger_http_request_seconds", [("path", path)]).record(elapsed)
    }

    func revocations(_ outcome: RevocationChecks.Outcome) -> MetricSeries {
        registry.counter("subledger_revocation_checks_total", [("outcome", outcome.rawValue)])
    }

    func retentions(_ outcome: RetentionRecord.Outcome) -> MetricSeries {
        registry.counter("subledger_retention_answers_total", [("outcome", outcome.rawValue)])
    }

    func failures(_ reason: AuthenticationFailures.Reason) -> MetricSeries {
        registry.counter("subledger_authentication_failures_total", [("reason", reason.rawValue)])
    }

    // MARK: Measuring

    /// All metrics, including those measured at scrape time.
    func text(_ host: LedgerHost, isReady: Bool, connectionCount: Int) async -> String {
        await initialArrivals.emit(host, to: self)
        registry.gauge("subledger_ready").set(isReady ? 1 : 0)
        let ahead = host.clockWatch.jumpMilliseconds ?? 0
        registry.gauge("subledger_clock_ahead_seconds").set(Double(ahead) / 1_000)
        registry.gauge("subledger_open_connections").set(Double(connectionCount))
        for ledger in host.ledgers {
            let gauges = await ledger.gauges(
                apps: host.appsWithKey, sweeps: host.configuration.server.recovers)
            let labels = [("environment", EnvironmentLedger.directoryName(ledger.environment))]
            registry.measured(gauges.map { ("subledger_\($0.name)", $0.value) }, labels)
        }
        return registry.text()
    }
}
