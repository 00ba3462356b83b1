internal import LedgerStore
internal import Queries
internal import Reports

/// An error as an HTTP answer reports it, with the distinctions that clients need.
public struct AnswerFailure: Error, Sendable {
    public enum Kind: Sendable, Equatable {
        /// The requested object does not exist.
        case notFound
        /// The id matches several objects.
        case ambiguous
        /// The request is valid; retry later.
        case unavailable
        /// The request is invalid and had no effect.
        case invalid
        /// The request is well-formed but cannot be carried out.
        case refused
        /// An internal fault.
        case fault
    }

    public let kind: Kind
    /// Stable; scripts rely on it.
    public let code: String
    /// What happened, and what to do.
    public let message: String
    /// For the operator: file, reason and remedy of a failure of the store; nil for other errors.
    public private(set) var remedy: String?
    /// The position reached, when the projections are behind the requested one.
    public var position: Int64?
    /// The state in which the object was not found; a later state may contain it.
    public private(set) var state: State?

    /// How far an answer goes.
    public struct State: Hashable, Sendable {
        /// The position it includes.
        public let position: Int64
        /// Positions of the log beyond it.
        public let lag: Int64
    }

    /// Nil for an error that no answer reports.
    public init?(_ error: any Error) {
        switch error {
        case let failure as AnswerFailure: self = failure
        case let error as QueryError: self.init(error)
        case let error as ServingError: self.init(error)
        case let error as StoreError: self.init(error)
        case let error as CommandError: self.init(error)
        case let error as MetricsError: self.init(error)
        default: return nil
        }
    }

    private init(kind: Kind, code: String, message: String) {
        self.kind = kind
        self.code = code
        self.message = message
    }

    /// A query without an answer in one state.
    init(_ error: QueryError, position: Int64, lag: Int64) {
        self.init(error)
        state = State(position: position, lag: lag)
    }

    private init(_ error: QueryError) {
        switch error {
        case .noSuchSubscription:
            self.init(
                kind: .notFound, code: error.code,
                message: "No subscription or purchase is known by this id at that time; check the"
                    + " id, environment, bundleId, at and knownAt.")
        case .unknownThen(_, let reason):
            self.init(
                kind: .notFound, code: error.code,
                message: "Nothing is known by this id at that time. \(reason)")
        case .stateless(_, let reason):
            self.init(
                kind: .notFound, code: error.code,
                message: "What is known by this id has no state. \(reason)")
        case .ambiguousId:
            self.init(
                kind: .ambiguous, code: error.code,
                message: "The id is known in several chains; name the app with bundleId, or"
                    + " use an originalTransactionId.")
        case .store(let error): self.init(error)
        }
    }

    private init(_ error: ServingError) {
        let kind: Kind =
            switch error {
            case .environmentNotServed: .notFound
            case .cursorBeyondLog: .invalid
            case .projectionBehind, .appendStalled, .clockJumped, .stopping: .unavailable
            }
        self.init(kind: kind, code: error.code, message: error.message)
        if case .projectionBehind(let position) = error { self.position = position }
    }

    private init(_ error: MetricsError) {
        switch error {
        case .store(let error): self.init(error)
        case .unknownMetric:
            self.init(kind: .notFound, code: error.code, message: error.message)
        default: self.init(kind: .invalid, code: error.code, message: error.message)
        }
    }

    private init(_ error: CommandError) {
        if let failure = error.failure {
            self.init(failure)
            return
        }
        let kind: Kind =
            switch error.code {
            case .notLinked, .noSuchGrant: .notFound
            case .idempotencyKeyReused: .refused
            case .invalidCustomer, .invalidActor, .invalidReason, .invalidEntitlement,
                .invalidTime, .invalidIdempotencyKey:
                .invalid
            case .store: .fault
            }
        self.init(kind: kind, code: error.code.rawValue, message: error.message)
    }

    /// Paths and remedies are left out: they are for the operator.
    private init(_ error: StoreError) {
        let passing: [StoreError.Code] = [
            .fileLocked, .queueFull, .diskFull, .closed, .ioError, .noSuchFile, .fileReplaced,
            .commitOutcomeUnknown,
        ]
        let isPassing = passing.contains(error.code)
        self.init(
            kind: isPassing ? .unavailable : .fault, code: error.code.rawValue,
            message: "\(error.reason) "
                + (isPassing
                    ? "Send the same request again later."
                    : "The service's log says what the operator can do."))
        remedy = error.description
    }
}
