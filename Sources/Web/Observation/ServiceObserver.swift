public import AppStore
public import LedgerService
public import Logging
import Synchronization

/// Puts what the ledgers tell into log and metrics.
public final class ServiceObserver: ServingObserver {
    private let logger: Logger
    private let metrics: ServiceMetrics
    private let pace = Mutex<[String: Pace]>([:])

    private struct Pace {
        var second: ContinuousClock.Instant
        var written = 0
        var suppressed = 0
    }

    /// Entries of one code in a second: a flood of refused deliveries is counted, not written.
    static let entriesPerSecond = 10

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

    public func noted(_ note: ServingNote) {
        if case .reconciled(let round) = note { metrics.reconciled(round) }
        guard let suppressed = admit(note.code) else { return }
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

    /// How many of the code were not written before this one; nil when this one is not either.
    private func admit(_ code: String) -> Int? {
        pace.withLock { pace in
            let now = ContinuousClock.now
            var entry = pace[code] ?? Pace(second: now)
            if entry.second.duration(to: now) > .seconds(1) {
                entry.second = now
                entry.written = 0
            }
            defer { pace[code] = entry }
            guard entry.written < ServiceObserver.entriesPerSecond else {
                entry.suppressed += 1
                return nil
            }
            entry.written += 1
            defer { entry.suppressed = 0 }
            return entry.suppressed
        }
    }
}
