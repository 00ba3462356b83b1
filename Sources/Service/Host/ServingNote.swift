public import AppStore
public import AppleSync
public import Intake
import Ledger
public import LedgerStore
internal import Projection
internal import Queries
import Signing

/// An entry of the service's log for operators.
public struct ServingNote: Sendable {
    /// Severity.
    public enum Level: Sendable {
        case notice
        case warning
        case error
    }

    public let level: Level
    /// Stable; to filter and alert by.
    public let code: String
    public let environment: Environment?
    /// One sentence, without anything of a payload, a token or a secret.
    public let message: String
    /// The refused delivery.
    public private(set) var refusal: IntakeRefusal?
    /// The round in which chains were reconciled.
    public private(set) var reconciled: ReconcileReport?

    init(_ level: Level, _ code: String, in environment: Environment? = nil, _ message: String) {
        self.level = level
        self.code = code
        self.environment = environment
        self.message = message
    }

    private static func failure(
        _ what: String, _ error: StoreError, _ environment: Environment
    ) -> ServingNote {
        ServingNote(.error, error.code.rawValue, in: environment, "\(what): \(error)")
    }
}

// MARK: Projections and files

extension ServingNote {
    /// A problem of derived data was found and repaired.
    static func remark(_ environment: Environment, _ remark: Projector.Remark) -> ServingNote {
        let (level, code): (Level, String) =
            switch remark {
            case .diverged: (.warning, "projectionsDiverged")
            case .gone: (.warning, "projectionsGone")
            case .damaged: (.warning, "projectionsDamaged")
            case .foreign: (.warning, "projectionsForeign")
            case .relinked: (.warning, "projectionsRelinked")
            case .otherRules: (.warning, "projectionsOtherRules")
            case .unreadable: (.error, "logDamaged")
            }
        return ServingNote(level, code, in: environment, remark.text)
    }

    /// The projector retries.
    static func projectionFailed(_ environment: Environment, _ error: StoreError) -> ServingNote {
        failure("The projector failed", error, environment)
    }

    static func projectionResumed(_ environment: Environment) -> ServingNote {
        ServingNote(.notice, "projectionResumed", in: environment, "The projector has resumed.")
    }

    static func rebuildLeft(_ environment: Environment) -> ServingNote {
        ServingNote(
            .notice, "rebuildLeft", in: environment,
            "The service stops before derived data is up to date; the next start goes on.")
    }

    /// A periodic checkpoint of the write-ahead log failed.
    static func checkpointFailed(_ environment: Environment, _ error: StoreError) -> ServingNote {
        failure("The log cannot be checkpointed", error, environment)
    }

    /// The change feed retries.
    public static func feedFailed(
        _ environment: Environment, _ error: StoreError
    ) -> ServingNote { failure("The change feed failed", error, environment) }
}

// MARK: Intake

extension ServingNote {
    static func refused(_ refusal: IntakeRefusal) -> ServingNote {
        // Genuine evidence that was not taken in needs an operator; any client can cause the other
        // refusals.
        let isNews = [.notAcceptable, .unavailable].contains(refusal.standing)
        let hint =
            refusal.isKept && isNews
            ? " `subledger quarantine retry` ingests the copy once the configuration or this"
                + " version accepts it." : ""
        var note = ServingNote(
            isNews ? .warning : .notice, refusal.code, in: refusal.environment,
            refusal.message + hint)
        note.refusal = refusal
        return note
    }

    /// Refused evidence could not be kept in quarantine either.
    static func quarantineFailed(_ environment: Environment, _ error: StoreError) -> ServingNote {
        failure("Quarantine cannot be written", error, environment)
    }

    static func retentionUnrecorded(
        _ environment: Environment, _ error: StoreError
    ) -> ServingNote {
        failure("Answers to retention requests cannot be recorded; they wait", error, environment)
    }

    static func retentionRecordsDropped(_ environment: Environment) -> ServingNote {
        ServingNote(
            .warning, "retentionRecordsDropped", in: environment,
            "\(RetentionAnswers.waitingCount) answers to retention requests wait to be recorded;"
                + " another one was dropped.")
    }

    /// Answers could not be recorded for long, or until the service stopped.
    static func retentionRecordsLost(_ environment: Environment, count: Int) -> ServingNote {
        ServingNote(
            .warning, "retentionRecordsDropped", in: environment,
            "\(count) answers to retention requests could not be recorded; they were dropped.")
    }

    /// A certificate chain that is revoked, or whose revocation is unknown.
    public static func revocation(_ finding: RevocationChecks.Finding) -> ServingNote {
        let isRevoked = finding.outcome == .revoked
        let code: VerificationCode = isRevoked ? .certificateRevoked : .revocationUnknown
        return ServingNote(isRevoked ? .error : .warning, code.rawValue, finding.message)
    }
}

// MARK: Operation

extension ServingNote {
    static var sharedSecretsReloaded: ServingNote {
        ServingNote(.notice, "sharedSecretsReloaded", "The shared secrets were read again.")
    }

    static func sharedSecretUnusable(
        _ bundleId: BundleId, _ error: ConfigurationError
    ) -> ServingNote {
        ServingNote(
            .error, "sharedSecretUnusable",
            "The shared secret of \(bundleId) is unusable; the previous one stays. \(error)")
    }

    static func clock(_ change: ClockWatch.Change) -> ServingNote {
        switch change {
        case .jumped(let milliseconds):
            ServingNote(
                .error, "clockJumped",
                "The clock jumped forward by \(milliseconds / 1_000) s; correct it or, if it is"
                    + " right, confirm it by `subledger test-notification` or a restart.")
        case .trusted: ServingNote(.notice, "clockTrusted", "The clock is trusted again.")
        }
    }

    /// An operator acted on the ledger itself.
    static func operatorAct(
        _ environment: Environment, act: String, actor: String, reason: String
    ) -> ServingNote {
        ServingNote(
            .notice, "operatorAct", in: environment,
            "\(act) by \(actor.printable): \(reason.printable)")
    }

    // MARK: Requests to Apple and to witnesses

    static func reconciled(_ report: ReconcileReport) -> ServingNote {
        var note = ServingNote(
            .notice, "reconciled", in: report.environment, "reconcile: \(report.summary)")
        note.reconciled = report
        return note
    }

    /// A round that could not start or ended early.
    static func reconcileFailed(
        _ environment: Environment, code: String, message: String
    ) -> ServingNote { ServingNote(.warning, code, in: environment, "reconcile: \(message)") }

    /// No checkpoint was signed.
    static func unsigned(
        _ environment: Environment, code: String, _ message: String
    ) -> ServingNote {
        ServingNote(.error, code, in: environment, "No checkpoint was signed: \(message)")
    }

    static func notWitnessed(
        _ environment: Environment, witness: String, code: String
    ) -> ServingNote {
        ServingNote(
            .warning, "notWitnessed", in: environment,
            "The witness \(witness.printable) did not sign the checkpoint (\(code)); it gets the"
                + " next one.")
    }
}
