public import AppStore
public import AppleSync
public import Intake
import Ledger
public import LedgerStore
public import Projection
internal import Queries
import Signing

/// An entry of the service's log for operators.
public enum ServingNote: Sendable {
    /// A problem of derived data was found and repaired.
    case remark(Environment, Projector.Remark)
    /// The projector failed; it retries.
    case projectionFailed(Environment, StoreError)
    /// The projector resumed after a failure.
    case projectionResumed(Environment)
    /// The service stopped before derived data reached the end of the log.
    case rebuildLeft(Environment)
    /// Refused evidence could not be kept in quarantine either.
    case quarantineFailed(Environment, StoreError)
    /// Answers to requests for retention messages could not be recorded; that is tried again.
    case retentionUnrecorded(Environment, StoreError)
    /// Too many of them were waiting to be recorded.
    case retentionRecordsDropped(Environment)
    /// They could not be recorded for long, or until the service stopped; they were dropped.
    case retentionRecordsLost(Environment, count: Int)
    /// A refused delivery.
    case refused(IntakeRefusal)
    /// A periodic checkpoint of the log failed.
    case checkpointFailed(Environment, StoreError)
    /// The change feed failed; it retries.
    case feedFailed(Environment, StoreError)
    /// An event of webhook delivery.
    case webhook(WebhookNote)
    /// An event of automatic recovery.
    case recovery(RecoveryNote)
    /// A result of reconciling chains.
    case reconciled(ReconcileNote)
    /// A checkpoint that was not signed, or not by a witness.
    case checkpoint(CheckpointNote)
    /// A certificate chain that is revoked, or whose revocation is unknown.
    case revocation(RevocationChecks.Finding)
    /// The apps' shared secrets were read again.
    case sharedSecretsReloaded
    /// An app's shared secret could not be read again; the previous one stays.
    case sharedSecretUnusable(BundleId, ConfigurationError)

    /// The system clock jumped forward, or is trusted again.
    case clock(ClockWatch.Change)

    /// An operator acted on the ledger itself; what was done, by whom and why.
    case operatorAct(Environment, act: String, actor: String, reason: String)

    /// Severity.
    public enum Level: Sendable {
        case notice
        case warning
        case error
    }

    public var level: Level { entry.level }

    /// Stable; to filter and alert by.
    public var code: String { entry.code }

    public var environment: Environment? { entry.environment }

    /// One sentence, without anything of a payload, a token or a secret.
    public var message: String { entry.message }

    private typealias Entry = (
        level: Level, code: String, environment: Environment?, message: String
    )

    private var entry: Entry {
        switch self {
        case .remark(let environment, let remark):
            let (level, code) = ServingNote.standing(of: remark)
            return (level, code, environment, remark.text)
        case .projectionFailed(let environment, let error):
            return ServingNote.failure("The projector failed", error, environment)
        case .projectionResumed(let environment):
            return (.notice, "projectionResumed", environment, "The projector has resumed.")
        case .rebuildLeft(let environment):
            return (
                .notice, "rebuildLeft", environment,
                "The service stops before derived data is up to date; the next start goes on."
            )
        case .quarantineFailed(let environment, let error):
            return ServingNote.failure("Quarantine cannot be written", error, environment)
        case .retentionUnrecorded(let environment, let error):
            return ServingNote.failure(
                "Answers to retention requests cannot be recorded; they wait", error, environment)
        case .retentionRecordsDropped(let environment):
            return (
                .warning, "retentionRecordsDropped", environment,
                "\(RetentionAnswers.waitingCount) answers to retention requests wait to be recorded;"
                    + " another one was dropped."
            )
        case .retentionRecordsLost(let environment, let count):
            return (
                .warning, "retentionRecordsDropped", environment,
                "\(count) answers to retention requests could not be recorded; they were dropped."
            )
        case .refused(let refusal):
            // Genuine evidence that was not taken in needs an operator; any client can cause the
            // other refusals.
            let isNews = [.notAcceptable, .unavailable].contains(refusal.standing)
            let hint =
                refusal.isKept && isNews
                ? " `subledger quarantine retry` ingests the copy once the configuration or this"
                    + " version accepts it." : ""
            return (
                isNews ? .warning : .notice, refusal.code, refusal.environment,
                refusal.message + hint
            )
        case .checkpointFailed(let environment, let error):
            return ServingNote.failure("The log cannot be checkpointed", error, environment)
        case .feedFailed(let environment, let error):
            return ServingNote.failure("The change feed failed", error, environment)
        case .webhook(let note):
            return (note.isNews ? .warning : .notice, note.code, nil, note.text)
        case .recovery(let note): return (.warning, note.code, note.environment, note.text)
        case .reconciled(let note):
            return (note.isNews ? .warning : .notice, note.code, note.environment, note.text)
        case .checkpoint(.failed(let environment, let code, let message)):
            return (.error, code, environment, "No checkpoint was signed: \(message)")
        case .checkpoint(.notWitnessed(let environment, let witness, let code)):
            return (
                .warning, "notWitnessed", environment,
                "The witness \(witness.printable) did not sign the checkpoint (\(code)); it gets the"
                    + " next one."
            )
        case .revocation(let finding):
            let isRevoked = finding.outcome == .revoked
            let code: VerificationCode = isRevoked ? .certificateRevoked : .revocationUnknown
            return (isRevoked ? .error : .warning, code.rawValue, nil, finding.message)
        case .sharedSecretsReloaded:
            return (.notice, "sharedSecretsReloaded", nil, "The shared secrets were read again.")
        case .sharedSecretUnusable(let bundleId, let error):
            return (
                .error, "sharedSecretUnusable", nil,
                "The shared secret of \(bundleId) is unusable; the previous one stays. \(error)"
            )
        case .clock(.jumped(let milliseconds)):
            return (
                .error, "clockJumped", nil,
                "The clock jumped forward by \(milliseconds / 1_000) s; correct it or, if it is"
                    + " right, confirm it by `subledger test-notification` or a restart."
            )
        case .operatorAct(let environment, let act, let actor, let reason):
            return (
                .notice, "operatorAct", environment,
                "\(act) by \(actor.printable): \(reason.printable)"
            )
        case .clock(.trusted): return (.notice, "clockTrusted", nil, "The clock is trusted again.")
        }
    }

    private static func standing(of remark: Projector.Remark) -> (Level, code: String) {
        switch remark {
        case .diverged: (.warning, "projectionsDiverged")
        case .gone: (.warning, "projectionsGone")
        case .damaged: (.warning, "projectionsDamaged")
        case .foreign: (.warning, "projectionsForeign")
        case .relinked: (.warning, "projectionsRelinked")
        case .unreadable: (.error, "logDamaged")
        }
    }

    private static func failure(
        _ what: String, _ error: StoreError, _ environment: Environment
    ) -> Entry { (.error, error.code.rawValue, environment, "\(what): \(error)") }
}
