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
    /// Why an operator acted, as the operator says.
    public private(set) var reason: String?
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

    /// - Parameter what: what failed.
    static func failure(
        _ what: String, _ error: StoreError, _ environment: Environment?
    ) -> ServingNote {
        ServingNote(.error, error.code.rawValue, in: environment, "\(what): \(error)")
    }

    /// About the deliveries to a webhook. `text` has no payload, secret or address.
    static func webhook(
        _ endpoint: String, _ level: Level, _ code: String, _ text: String
    ) -> ServingNote { ServingNote(level, code, "webhook \(endpoint): \(text)") }
}

// MARK: Projections and files

extension ServingNote {
    /// A problem of files was found and repaired.
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
            case .operationsGone: (.warning, "operationsGone")
            }
        return ServingNote(level, code, in: environment, remark.text)
    }

    /// An audit, a recovery or a report failed; its answer has no path.
    static func jobFailed(_ environment: Environment?, _ error: StoreError) -> ServingNote {
        failure("The job failed", error, environment)
    }

    /// A report failed unexpectedly: the type only, since the text may contain anything.
    static func jobFailed(_ error: any Error) -> ServingNote {
        ServingNote(.error, "internal", "The job failed unexpectedly: \(type(of: error)).")
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

    /// A certificate chain that is revoked, or whose revocation is unknown.
    public static func revocation(_ finding: RevocationChecks.Finding) -> ServingNote {
        let isRevoked = finding.outcome == .revoked
        let code: VerificationCode = isRevoked ? .certificateRevoked : .revocationUnknown
        return ServingNote(isRevoked ? .error : .warning, code.rawValue, finding.message)
    }
}

// MARK: Operation

extension ServingNote {
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
        var note = ServingNote(
            .notice, "operatorAct", in: environment, "\(act) by \(actor.printable)")
        note.reason = reason
        return note
    }

    // MARK: Requests to Apple, and checkpoints

    static func reconciled(_ report: ReconcileReport) -> ServingNote {
        var note = ServingNote(
            .notice, "reconciled", in: report.environment, "reconcile: \(report.summary)")
        note.reconciled = report
        return note
    }

    /// No checkpoint was signed.
    static func unsigned(
        _ environment: Environment, code: String, _ message: String
    ) -> ServingNote {
        ServingNote(.error, code, in: environment, "No checkpoint was signed: \(message)")
    }
}
