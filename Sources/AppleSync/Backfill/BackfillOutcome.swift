internal import Intake

/// What asking about one id came to.
struct BackfillOutcome: Sendable {
    let tally: AskedTally
    let end: End

    /// How it ended.
    enum End: Sendable {
        /// Everything was answered and taken in.
        case done
        /// Apple knows nothing of the id.
        case unknown(AskingFailure)
        /// Answered, but not all of it was acceptable.
        case refused(AskedTally.Refusal)
        /// Not answered whole.
        case failed(AskingFailure)

        /// What is told of the id; nil when all is well. Without a code: it is unknown.
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
