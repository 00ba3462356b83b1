import Hummingbird
import NIOCore
internal import Service

extension Problem {
    /// Seconds after which an answer that was behind can be retried.
    static let behindRetrySeconds = 1
    /// Seconds after which a failed operation can be retried.
    static let failureRetrySeconds = 5
    /// Seconds for what is not configured here but may be later; Apple uses its own retry schedule.
    static let configurationRetrySeconds = 3_600

    /// A query without an answer.
    init(_ failure: AnswerFailure) {
        let status: HTTPResponse.Status =
            switch failure.kind {
            case .notFound: .notFound
            case .ambiguous: .conflict
            case .unavailable: .serviceUnavailable
            case .invalid: .badRequest
            case .refused: .unprocessableContent
            case .fault: .internalServerError
            }
        self.init(status, code: failure.code, detail: failure.message)
        position = failure.position
        // For missing subjects only; an answer that is behind states its position in the body.
        if failure.kind == .notFound, let state = failure.state {
            headers[.subledgerPosition] = String(state.position)
            headers[.subledgerLag] = String(state.lag)
        }
        if failure.kind == .unavailable {
            retryAfter =
                failure.position == nil
                ? Problem.failureRetrySeconds : Problem.behindRetrySeconds
        }
    }

    /// A delivery from Apple that was not accepted; evidence that may be genuine is requested
    /// again.
    init(_ refusal: IntakeRefusal) {
        switch refusal.standing {
        case .malformed where refusal.code == IntakeRefusal.payloadTooLarge:
            self.init(.contentTooLarge, code: refusal.code, detail: refusal.message)
        case .malformed, .invalid:
            self.init(.badRequest, code: refusal.code, detail: refusal.message)
        case .notAcceptable:
            self.init(
                .serviceUnavailable, code: refusal.code, detail: refusal.message,
                retryAfter: Problem.configurationRetrySeconds)
        case .unavailable:
            self.init(
                .serviceUnavailable, code: refusal.code, detail: refusal.message,
                retryAfter: Problem.failureRetrySeconds)
        case .overBudget(let seconds):
            self.init(
                .tooManyRequests, code: refusal.code, detail: refusal.message, retryAfter: seconds)
        }
    }

    /// An upload that was not accepted; its client can correct what is invalid.
    init(upload refusal: IntakeRefusal) {
        guard refusal.standing == .notAcceptable else {
            self.init(refusal)
            return
        }
        self.init(.unprocessableContent, code: refusal.code, detail: refusal.message)
    }

    /// Any error a handler threw.
    init(_ error: any Error) {
        if let problem = error as? Problem {
            self = problem
        } else if let failure = AnswerFailure(error) {
            self.init(failure)
        } else if let refusal = error as? IntakeRefusal {
            self.init(refusal)
        } else if error is TruncatedBody {
            self.init(.badRequest, code: "badRequest", detail: "The body is incomplete.")
        } else if let error = error as? any HTTPResponseError {
            self.init(status: error.status)
        } else {
            self.init(
                .internalServerError, code: "internal",
                detail: "An unexpected failure; see the service's log.")
        }
    }

    /// Errors that the framework produces.
    private init(status: HTTPResponse.Status) {
        switch status {
        case .notFound:
            self.init(.notFound, code: "noSuchPath", detail: "There is no such path.")
        case .contentTooLarge: self = Problem.tooLarge(limit: nil)
        default:
            self.init(
                status, code: status.code >= 500 ? "internal" : "badRequest",
                detail: "The request cannot be processed.")
        }
    }

    static func tooLarge(limit: Int?) -> Problem {
        Problem(
            .contentTooLarge, code: "payloadTooLarge",
            detail: limit.map { "The body has more than \($0) bytes." } ?? "The body is too large.")
    }
}
