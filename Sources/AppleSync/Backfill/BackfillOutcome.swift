import Intake

/// The outcome of the requests for one id.
struct BackfillOutcome: Sendable {
    let tally: RequestTally
    let end: End

    /// How the requests ended.
    enum End: Sendable {
        /// Everything was answered and accepted.
        case done
        /// Apple does not know the id.
        case unknown(AppleRequestFailure)
        /// Answered, but not everything was accepted.
        case refused(IngestSummary.IngestError)
        /// Not answered completely.
        case failed(AppleRequestFailure)

        /// The reported trouble; nil when all is well. An unknown id has no code.
        var trouble: (code: String?, message: String)? {
            switch self {
            case .done: nil
            case .unknown(let failure): (nil, failure.message)
            case .refused(let refusal): (refusal.code, refusal.message)
            case .failed(let failure): (failure.code, failure.message)
            }
        }
    }
}
