import Hummingbird
import NIOCore
internal import Service

extension Problem {
    /// Seconds until an answer that was behind is worth asking for again.
    static let behindRetrySeconds = 1
    /// Seconds until something that failed here is worth trying again.
    static let failureRetrySeconds = 5
    /// Seconds after which what is not configured here may be: Apple follows its own times.
    static let configurationRetrySeconds = 3_600

    /// A question that has no answer.
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
        // Of what is not found only: what has no answer yet says its position in the body.
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

    /// A delivery of Apple's that was not taken in: whatever may be genuine is asked for again.
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

    /// An upload that was not taken in: its sender can do something about what is not acceptable.
    init(upload refusal: IntakeRefusal) {
        guard refusal.standing == .notAcceptable else {
            self.init(refusal)
            return
        }
        self.init(.unprocessableContent, code: refusal.code, detail: refusal.message)
    }

    /// Whatever a handler threw.
    init(_ error: any Error) {
        if let problem = error as? Problem {
            self = problem
        } else if let failure = AnswerFailure(error) {
            self.init(failure)
        } else if let refusal = error as? IntakeRefusal {
            self.init(refusal)
        } else if error is BodyCutOff {
            self.init(.badRequest, code: "badRequest", detail: "The body did not arrive whole.")
        } else if let error = error as? any HTTPResponseError {
            self.init(status: error.status)
        } else {
            self.init(
                .internalServerError, code: "internal",
                detail: "An unexpected failure; the service's log says more.")
        }
    }

    /// What the framework answers by itself.
    private init(status: HTTPResponse.Status) {
        switch status {
        case .notFound:
            self.init(.notFound, code: "noSuchPath", detail: "There is nothing at this path.")
        case .contentTooLarge: self = Problem.tooLarge(limit: nil)
        default:
            self.init(
                status, code: status.code >= 500 ? "internal" : "badRequest",
                detail: "The request cannot be answered.")
        }
    }

    static func tooLarge(limit: Int?) -> Problem {
        Problem(
            .contentTooLarge, code: "payloadTooLarge",
            detail: limit.map { "The body has more than \($0) bytes." } ?? "The body is too large.")
    }
}
