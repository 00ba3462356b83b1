public import AppStore
public import Ledger

/// What recovery by itself tells about its work.
public enum RecoveryNote: Sendable {
    /// A window looks as if something were missing; it is being fetched.
    case suspected(Environment, BundleId, OutageDetection.Suggestion)
    /// Something was missing, or could not be taken in.
    case recovered(Environment, BundleId, RecoveryReport)
    /// What Apple sent between these times is older than what it still tells, and was never swept:
    /// answers stay certain up to `from` only.
    case outOfReach(Environment, BundleId, from: Timestamp, to: Timestamp)
    /// Apple, or the disk, did not let it; it tries again.
    case failed(Environment, BundleId, RecoveryFailure)

    /// Stable; to filter and alert by.
    public var code: String {
        switch self {
        case .suspected: "outageSuspected"
        case .recovered: "recovered"
        case .outOfReach: "recoveryOutOfReach"
        case .failed: "recoveryFailed"
        }
    }

    /// Whose ledger it is about.
    public var environment: Environment {
        switch self {
        case .suspected(let environment, _, _), .recovered(let environment, _, _),
            .outOfReach(let environment, _, _, _), .failed(let environment, _, _):
            environment
        }
    }

    /// One line for a log.
    public var text: String {
        switch self {
        case .suspected(_, let app, let window):
            "\(app): notifications may be missing, \(RecoveryText.suggestion(window))"
        case .recovered(_, let app, let report):
            "\(app): \(report.newCount) notifications were missing and are here now;"
                + " \(report.chains.count + report.chainsOmitted) chains have another state"
                + (report.refusedCount > 0
                    ? "; \(report.refusedCount) could not be taken in (see quarantine)" : "")
        case .outOfReach(_, let app, let from, let to):
            "\(app): what was sent from \(from.rfc3339) to \(to.rfc3339) is older than Apple's"
                + " history, and nobody looked there in time; completeFrom is its end now;"
                + " `subledger backfill` brings what Apple still knows of each customer"
        case .failed(_, let app, let failure): "\(app): not recovered: \(failure)"
        }
    }
}
