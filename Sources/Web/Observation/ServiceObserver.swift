public import AppStore
public import Intake
public import LedgerStore
public import Logging
internal import Projection
public import Service

/// Forwards the ledgers' observations to log and metrics.
public final class ServiceObserver: ServingObserver {
    private let logger: Logger
    private let metrics: ServiceMetrics
    private let pace = LogRateLimiter()

    public init(logger: Logger, metrics: ServiceMetrics) {
        self.logger = logger
        self.metrics = metrics
    }

    public func verified(_ elapsed: Duration) { metrics.verified(elapsed) }

    public func appended(_ elapsed: Duration) { metrics.appended(elapsed) }

    public func took(_ outcome: IntakeOutcome) { metrics.took(outcome) }

    public func projected(_ environment: Environment, eventCount: Int64, _ elapsed: Duration) {
        metrics.projected(environment, eventCount: eventCount, elapsed)
    }

    public func folded(factCount: Int) { metrics.folded(factCount) }

    public func learned(_ finding: RevocationChecks.Finding) {
        metrics.learned(finding.outcome)
        if finding.isNews { noted(.revocation(finding)) }
    }

    public func answeredRetention(_ outcome: RetentionRecord.Outcome) {
        metrics.answeredRetention(outcome)
    }

    public func lostRetentionRecords(_ count: Int) { metrics.lostRetentionRecords(count) }

    public func noted(_ note: ServingNote) {
        if case .reconciled(let round) = note { metrics.reconciled(round) }
        guard let suppressed = pace.admit(note.code) else { return }
        var metadata: Logger.Metadata = ["code": "\(note.code)"]
        if let environment = note.environment {
            metadata["environment"] = "\(EnvironmentLedger.directoryName(environment))"
        }
        if case .refused(let refusal) = note {
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
        logger.log(level: level, "\(note.message)", metadata: metadata)
    }
}
