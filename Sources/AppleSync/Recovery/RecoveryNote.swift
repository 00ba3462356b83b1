public import AppStore
public import Ledger

/// A log entry of automatic recovery.
public enum RecoveryNote: Sendable {
    /// Events may be missing in a window; it is being fetched.
    case suspected(Environment, BundleId, OutageDetection.Suggestion)
    /// Events were missing, or could not be taken in.
    case recovered(Environment, BundleId, RecoveryReport)
    /// Notifications that Apple sent between these times are older than its history and were never
    /// swept: answers stay certain up to `from` only.
    case outOfReach(Environment, BundleId, from: Timestamp, to: Timestamp)
    /// Apple or the disk failed; it is retried.
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
            "\(app): \(report.newCount) missing notifications were recovered;"
                + " \(report.chains.count + report.chainsOmitted) chains changed state"
                + (report.refusedCount > 0
                    ? "; \(report.refusedCount) could not be taken in (see quarantine)" : "")
        case .outOfReach(_, let app, let from, let to):
            "\(app): notifications sent from \(from.rfc3339) to \(to.rfc3339) are older than"
                + " Apple's history and were never swept; completeFrom is now the latter time;"
                + " `subledger backfill` fetches what Apple still has of each customer"
        case .failed(_, let app, let failure): "\(app): not recovered: \(failure)"
        }
    }
}
