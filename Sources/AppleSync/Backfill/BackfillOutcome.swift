import Intake
import LedgerStore

/// The outcome of the requests for one id.
struct BackfillOutcome: Sendable {
    let tally: RequestTally
    /// Why the requests ended early; nil: everything was answered.
    let failure: AppleRequestFailure?

    /// The failure to get an answer; nil also for the answer that Apple does not know the id.
    var unanswered: AppleRequestFailure? { failure.flatMap { $0.isUnknownId ? nil : $0 } }

    /// The reported trouble with an id of the list: a failure, or evidence that was refused; nil
    /// when all is well. An unknown id has no code.
    func trouble(_ ordinal: Int, _ id: String) -> BackfillRun.Trouble? {
        if let failure {
            return BackfillRun.Trouble(
                ordinal: ordinal, id: id, code: unanswered?.code, message: failure.message)
        }
        return tally.taken.errors.first.map {
            BackfillRun.Trouble(ordinal: ordinal, id: id, code: $0.code, message: $0.message)
        }
    }
}
