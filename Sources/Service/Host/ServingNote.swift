public import AppStore
public import AppleSync
public import Intake
internal import Ledger
public import LedgerStore
public import Projection
internal import Signing

/// An entry of the service's log for operators.
public enum ServingNote: Sendable {
    /// A problem of derived data was found and repaired.
    case remark(Environment, Projector.Remark)
    /// The projector failed; it retries.
    case projectionFailed(Environment, StoreError)
    /// The projector resumed after a failure.
    case projectionResumed(Environment)
    /// Refused evidence could not be kept in quarantine either.
    case quarantineFailed(Environment, StoreError)
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
    /// A certificate chain that is revoked, or of which nothing can be learnt.
    case revocation(RevocationChecks.Finding)
    /// The apps' shared secrets were read again.
    case sharedSecretsReloaded
    /// An app's shared secret could not be read again; the previous one stays.
    case sharedSecretUnusable(BundleId, ConfigurationError)

    /// An event was dated ahead of the clock, because the log's newest arrival is; reported once
    /// until the clock has caught up.
    case clockBehind(Environment, milliseconds: Int64)

    /// The system clock jumped forward, or is trusted again.
    case clock(ClockWatch.Change)

    /// Severity.
    public enum Level: Sendable {
        case notice
        case warning
        case error
    }

    public var level: Level {
        switch self {
        case .remark(_, .unreadable): .error
        case .remark: .warning
        case .projectionFailed, .quarantineFailed, .checkpointFailed, .feedFailed: .error
        case .recovery, .clockBehind: .warning
        case .webhook(let note): note.isNews ? .warning : .notice
        case .reconciled(let note): note.isNews ? .warning : .notice
        case .revocation(let finding): finding.outcome == .revoked ? .error : .warning
        case .projectionResumed, .sharedSecretsReloaded: .notice
        case .sharedSecretUnusable, .clock(.jumped): .error
        case .clock(.trusted): .notice
        case .refused(let refusal):
            // Genuine but not taken in needs an operator; other refusals are noise from outside.
            refusal.standing == .notAcceptable || refusal.standing == .unavailable
                ? .warning : .notice
        }
    }

    /// Stable; to filter and alert by.
    public var code: String {
        switch self {
        case .remark(_, .diverged): "projectionsDiverged"
        case .remark(_, .gone): "projectionsGone"
        case .remark(_, .damaged): "projectionsDamaged"
        case .remark(_, .foreign): "projectionsForeign"
        case .remark(_, .relinked): "projectionsRelinked"
        case .remark(_, .unreadable): "logDamaged"
        case .projectionFailed(_, let error), .quarantineFailed(_, let error),
            .checkpointFailed(_, let error), .feedFailed(_, let error):
            error.code.rawValue
        case .webhook(let note): note.code
        case .recovery(let note): note.code
        case .reconciled(let note): note.code
        case .revocation(let finding):
            (finding.outcome == .revoked ? VerificationCode.certificateRevoked : .revocationUnknown)
                .rawValue
        case .projectionResumed: "projectionResumed"
        case .refused(let refusal): refusal.code
        case .sharedSecretsReloaded: "sharedSecretsReloaded"
        case .sharedSecretUnusable: "sharedSecretUnusable"
        case .clockBehind: "clockBehind"
        case .clock(.jumped): "clockJumped"
        case .clock(.trusted): "clockTrusted"
        }
    }

    public var environment: Environment? {
        switch self {
        case .remark(let environment, _), .projectionFailed(let environment, _),
            .projectionResumed(let environment), .quarantineFailed(let environment, _),
            .checkpointFailed(let environment, _), .feedFailed(let environment, _),
            .clockBehind(let environment, _):
            environment
        case .webhook, .revocation, .sharedSecretsReloaded, .sharedSecretUnusable, .clock: nil
        case .recovery(let note): note.environment
        case .reconciled(let note): note.environment
        case .refused(let refusal): refusal.environment
        }
    }

    /// One sentence, without anything of a payload, a token or a secret.
    public var message: String {
        switch self {
        case .remark(_, let remark): remark.text
        case .projectionFailed(_, let error): "The projector failed: \(error)"
        case .projectionResumed: "The projector has resumed."
        case .quarantineFailed(_, let error): "Quarantine cannot be written: \(error)"
        case .refused(let refusal):
            refusal.isKept && level == .warning
                ? "\(refusal.message) `subledger quarantine retry` ingests the copy once the"
                    + " configuration or this version accepts it." : refusal.message
        case .checkpointFailed(_, let error): "The log cannot be checkpointed: \(error)"
        case .feedFailed(_, let error): "The change feed failed: \(error)"
        case .webhook(let note): note.text
        case .recovery(let note): note.text
        case .reconciled(let note): note.text
        case .revocation(let finding): finding.message
        case .sharedSecretsReloaded: "The shared secrets were read again."
        case .sharedSecretUnusable(let bundleId, let error):
            "The shared secret of \(bundleId) is unusable; the previous one stays. \(error)"
        case .clock(.jumped(let milliseconds)):
            "The clock jumped forward by \(milliseconds / 1_000) s; correct it or, if it is"
                + " right, confirm it by `subledger test-notification` or a restart."
        case .clock(.trusted): "The clock is trusted again."
        case .clockBehind(_, let milliseconds):
            "The clock is \(milliseconds / 1_000) s behind the newest arrival in the log. Until it"
                + " has caught up, new arrivals are dated by that arrival, and decisions take"
                + " effect from then. Correct the clock if it is wrong."
        }
    }
}
