import Intake
import LedgerStore

/// The outcome of the requests for one id.
struct BackfillOutcome: Sendable {
    let tally: RequestTally
    let end: End

    enum End: Sendable {
        /// Everything was answered and accepted.
        case done
        /// Apple does not know the id.
        case unknown(AppleRequestFailure)
        /// Answered, but not everything was accepted.
        case refused(IngestError)
        /// Not answered completely.
        case failed(AppleRequestFailure)

        /// The reported trouble with an id of the list; nil when all is well. An unknown id has no
        /// code.
        func trouble(_ ordinal: Int, _ id: String) -> BackfillRun.Trouble? {
            let (code, message): (String?, String)
            switch self {
            case .done: return nil
            case .unknown(let failure): (code, message) = (nil, failure.message)
            case .refused(let refusal): (code, message) = (refusal.code, refusal.message)
            case .failed(let failure): (code, message) = (failure.code, failure.message)
            }
            return BackfillRun.Trouble(ordinal: ordinal, id: id, code: code, message: message)
        }
    }
}
