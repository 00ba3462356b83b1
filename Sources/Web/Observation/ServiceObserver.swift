public import AppStore
internal import AppleSync
public import Intake
public import LedgerStore
public import Logging
internal import Projection
public import Service

/// Logs and counts what the ledgers observe.
public final class ServiceObserver: ServingObserver {
    private let logger: Logger
    private let metrics: ServiceMetrics
    private let pace = LogRateLimiter()

    public init(logger: Logger, metrics: ServiceMetrics) {
        self.logger = logger
        self.metrics = metrics
    }

    public func verified(_ elapsed: Duration) { metrics.verify.record(elapsed) }

    public func appended(_ elapsed: Duration) { metrics.append.record(elapsed) }

    public func took(_ outcome: IntakeOutcome) {
        let environment = outcome.environment.map { EnvironmentLedger.directoryName($0) } ?? "none"
        metrics.registry.counter(
            "subledger_intake_total",
            [
                ("environment", environment), ("result", outcome.result),
                ("source", outcome.source),
            ]
        ).add()
        if outcome.isKept {
            metrics.registry.counter(
                "subledger_quarantined_total", [("environment", environment)]
            ).add()
        }
        // Only accepted deliveries name a configured app.
        guard outcome.isTaken else { return }
        if let milliseconds = outcome.latenessMilliseconds {
            metrics.lateness.record(Double(max(0, milliseconds)) / 1_000)
        }
        metrics.lastEvent(
            outcome.bundleId ?? BundleId(""), outcome.environment, outcome.source
        ).set(Double(outcome.receivedAt.milliseconds) / 1_000)
    }

    public func projected(_ environment: Environment, eventCount: Int64, _ elapsed: Duration) {
        metrics.project.record(elapsed)
        metrics.registry.counter(
            "subledger_projected_events_total",
            [("environment", EnvironmentLedger.directoryName(environment))]
        ).add(eventCount)
    }

    public func folded(factCount: Int) { metrics.uploadFacts.add(Int64(factCount)) }

    public func learned(_ finding: RevocationChecks.Finding) {
        metrics.revocations(finding.outcome).add()
        if finding.isNews { noted(.revocation(finding)) }
    }

    public func answeredRetention(_ outcome: RetentionRecord.Outcome) {
        metrics.retentions(outcome).add()
    }

    public func lostRetentionRecords(_ count: Int) {
        metrics.unrecordedRetentions.add(Int64(count))
    }

    private func reconciled(_ round: ReconcileReport) {
        let environment = EnvironmentLedger.directoryName(round.environment)
        for outcome in ChainReconciliation.Outcome.allCases where round.count(outcome) > 0 {
            metrics.registry.counter(
                "subledger_reconciled_chains_total",
                [("environment", environment), ("outcome", outcome.rawValue)]
            ).add(Int64(round.count(outcome)))
        }
    }

    public func noted(_ note: ServingNote) {
        if let round = note.reconciled { reconciled(round) }
        // The only record of most acts of operators, which few clients can cause: each is written,
        // whatever the configured level.
        let suppressed = note.reason == nil ? pace.admit(note.code) : 0
        guard let suppressed else { return }
        var metadata: Logger.Metadata = ["code": "\(note.code)"]
        if let environment = note.environment {
            metadata["environment"] = "\(EnvironmentLedger.directoryName(environment))"
        }
        metadata["reason"] = note.reason.map { "\($0)" }
        if let refusal = note.refusal {
            metadata["bundleId"] = refusal.bundleId.map { "\($0.rawValue)" }
            metadata["part"] = refusal.part.map { "\($0)" }
            metadata["quarantined"] = "\(refusal.isKept)"
        }
        if suppressed > 0 { metadata["suppressed"] = "\(suppressed)" }
        let level: Logger.Level =
            switch note.level {
            case .notice: .notice
            case .warning: .warning
            case .error: .error
            }
        var logger = logger
        if note.reason != nil { logger.logLevel = level }
        logger.log(level: level, "\(note.message)", metadata: metadata)
    }
}
