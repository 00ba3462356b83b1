import Hummingbird
internal import Intake
internal import LedgerStore
import NIOCore
internal import Proofs
internal import Queries
internal import Reports
internal import Service

extension Problem {
    /// Seconds after which an answer that was behind can be retried.
    static let behindRetrySeconds = 1
    /// Seconds after which a failed operation can be retried.
    static let failureRetrySeconds = 5
    /// Seconds after which evidence that is not acceptable here can be retried; Apple uses its own
    /// schedule.
    static let configurationRetrySeconds = 3_600

    private init(_ error: QueryError) {
        let (status, detail): (HTTPResponse.Status, String)
        switch error {
        case .noSuchSubscription:
            status = .notFound
            detail =
                "No subscription or purchase is known by this id at that time; check the id,"
                + " environment, bundleId, at and knownAt."
        case .unknownThen(_, let reason):
            (status, detail) = (.notFound, "Nothing is known by this id at that time. \(reason)")
        case .stateless(_, let reason):
            (status, detail) = (.notFound, "What is known by this id has no state. \(reason)")
        case .pseudonym: (status, detail) = (.notFound, error.message)
        case .ambiguousId:
            status = .conflict
            detail =
                "The id is known in several chains; name the app with bundleId, or use an"
                + " originalTransactionId."
        case .invalidRange: (status, detail) = (.badRequest, error.message)
        case .store(let error):
            self.init(error)
            return
        }
        self.init(status, code: error.code, detail: detail)
    }

    private init(_ error: ServingError) {
        let (status, retryAfter): (HTTPResponse.Status, Int?) =
            switch error {
            case .environmentNotServed: (.notFound, nil)
            case .cursorBeyondLog: (.badRequest, nil)
            case .projectionBehind: (.serviceUnavailable, Problem.behindRetrySeconds)
            case .otherRules: (.serviceUnavailable, nil)
            case .appendStalled, .clockJumped, .stopping:
                (.serviceUnavailable, Problem.failureRetrySeconds)
            }
        self.init(status, code: error.code, detail: error.message, retryAfter: retryAfter)
        if case .projectionBehind(let position) = error { self.position = position }
    }

    private init(_ error: MetricsError) {
        switch error {
        case .store(let error): self.init(error)
        case .unknownMetric: self.init(.notFound, code: error.code, detail: error.message)
        case .unusableRates, .stopped:
            self.init(
                .serviceUnavailable, code: error.code, detail: error.message,
                retryAfter: Problem.failureRetrySeconds)
        default: self.init(.badRequest, code: error.code, detail: error.message)
        }
    }

    private init(_ error: CommandError) {
        if let failure = error.failure {
            self.init(failure)
            return
        }
        let status: HTTPResponse.Status =
            switch error.code {
            case .notLinked, .noSuchGrant: .notFound
            case .idempotencyKeyReused: .unprocessableContent
            case .invalidCustomer, .invalidActor, .invalidReason, .invalidEntitlement,
                .invalidTime, .invalidIdempotencyKey:
                .badRequest
            case .store: .internalServerError
            }
        self.init(status, code: error.code.rawValue, detail: error.message)
    }

    private init(_ error: ErasureError) {
        let status: HTTPResponse.Status =
            switch error.code {
            case .nothingToErase: .notFound
            case .heldByAnother: .conflict
            case .erasureTooLarge: .unprocessableContent
            case .numbersWouldChange: .internalServerError
            }
        self.init(status, code: error.code.rawValue, detail: error.message)
        // Logged with internal errors only.
        remedy = error.message
    }

    private init(_ error: EligibilityError) {
        let status: HTTPResponse.Status =
            switch error.code {
            case .notEligible: .conflict
            case .unknownGroup: .unprocessableContent
            }
        self.init(status, code: error.code.rawValue, detail: error.message)
        eligibility = error.eligibility
    }

    private init(_ error: OperatorError) {
        let status: HTTPResponse.Status =
            switch error.code {
            case .noSuchItem, .noSuchEndpoint, .noSuchRecovery, .noSuchJob: .notFound
            case .recoveryRunning, .auditRunning: .conflict
            case .missingKey: .unprocessableContent
            case .tooManyJobs: .serviceUnavailable
            }
        self.init(
            status, code: error.code.rawValue, detail: error.message,
            retryAfter: error.code == .tooManyJobs ? Problem.failureRetrySeconds : nil)
    }

    /// Paths and remedies are left out: they are for the operator.
    private init(_ error: StoreError) {
        let passing: [StoreError.Code] = [
            .fileLocked, .fileReadOnly, .queueFull, .diskFull, .closed, .ioError, .noSuchFile,
            .fileReplaced, .commitOutcomeUnknown, .databaseUnavailable, .logWentBack,
            .erasureOvertaken,
        ]
        let isPassing = passing.contains(error.code)
        self.init(
            isPassing ? .serviceUnavailable : .internalServerError, code: error.code.rawValue,
            detail: "\(error.reason) "
                + (isPassing
                    ? "Send the same request again later."
                    : "The service's log says what the operator can do."),
            retryAfter: isPassing ? Problem.failureRetrySeconds : nil)
        remedy = error.description
    }

    /// A delivery from Apple that was not accepted; evidence that may be genuine is requested
    /// again.
    init(_ refusal: IntakeRefusal) {
        let (status, retryAfter): (HTTPResponse.Status, Int?) =
            switch refusal.standing {
            case .malformed where refusal.code == IntakeRefusal.payloadTooLarge:
                (.contentTooLarge, nil)
            case .malformed, .invalid: (.badRequest, nil)
            case .notAcceptable: (.serviceUnavailable, Problem.configurationRetrySeconds)
            case .unavailable: (.serviceUnavailable, Problem.failureRetrySeconds)
            case .overBudget(let seconds): (.tooManyRequests, seconds)
            }
        self.init(status, code: refusal.code, detail: refusal.message, retryAfter: retryAfter)
    }

    /// An upload that was not accepted; its client can correct what is invalid.
    init(upload refusal: IntakeRefusal) {
        guard refusal.standing == .notAcceptable else {
            self.init(refusal)
            return
        }
        self.init(.unprocessableContent, code: refusal.code, detail: refusal.message)
    }

    /// An error of the ledger; nil for others.
    init?(ofLedger error: any Error) {
        switch error {
        case let missing as MissingAnswer:
            self.init(missing.error)
            guard status == .notFound else { return }
            headers[.subledgerPosition] = String(missing.position)
            headers[.subledgerLag] = String(missing.lag)
            headers[.subledgerAge] = missing.age.map { String($0.components.seconds) }
        case let error as QueryError: self.init(error)
        case let error as ServingError: self.init(error)
        case let error as StoreError: self.init(error)
        case let error as CommandError: self.init(error)
        case let error as MetricsError: self.init(error)
        case let error as SearchError:
            self.init(.badRequest, code: error.code, detail: error.message)
        case let error as OperatorError: self.init(error)
        case let error as ErasureError: self.init(error)
        case let error as EligibilityError: self.init(error)
        case let error as ProofError:
            self.init(
                error.code == .logForked || error.code == .logUnsound
                    ? .internalServerError : .unprocessableContent, code: error.code.rawValue,
                detail: error.message)
        case let error as ConfigurationError:
            self.init(
                .internalServerError, code: "internal",
                detail: "A file that the configuration names cannot be used; see the service's"
                    + " log.")
            remedy = error.description
        case let error as LookupFailure:
            self.init(.badGateway, code: error.code, detail: error.message)
        case let refusal as IntakeRefusal: self.init(refusal)
        default: return nil
        }
    }

    /// Any error a handler threw.
    init(_ error: any Error) {
        if let problem = (error as? Problem) ?? Problem(ofLedger: error) {
            self = problem
            return
        }
        switch error {
        case is TruncatedBody:
            self.init(.badRequest, code: "badRequest", detail: "The body is incomplete.")
        case let error as any HTTPResponseError: self.init(status: error.status)
        default:
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
