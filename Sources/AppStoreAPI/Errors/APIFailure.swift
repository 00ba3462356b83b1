public import AppStore

/// Why a request to Apple failed. Contains no id, token, payload or text of the response, so it may
/// be logged.
public struct APIFailure: Error, Sendable, Equatable {
    /// Stable codes; scripts rely on them.
    public enum Code: String, Sendable, CaseIterable {
        /// Not a valid request; rejected before it was sent.
        case invalidRequest
        /// Apple rejected it with an error number, or answered that it did not extend.
        case refusedByApple
        /// 401: key, issuer, key id, clock, or an app that was never released.
        case unauthorized
        /// 429, with a wait longer than the policy allows.
        case rateLimited
        /// 5xx or one of Apple's "errors to retry", after retries.
        case appleUnavailable
        /// No connection, or one that broke, after retries.
        case appleUnreachable
        /// No response in time, after retries.
        case appleTimedOut
        /// A status that Apple does not document.
        case unexpectedStatus
        /// Longer than any response of Apple's; reading was stopped.
        case answerTooLarge
        /// A 200 whose body is not the documented JSON, except of a change that was sent once.
        case unreadableAnswer
        /// The response names an app other than the requested one.
        case answerForAnotherApp
        /// Pages that form a cycle, or endless pages without new items.
        case endlessPages
        /// A change was sent, and it is unknown whether Apple made it.
        case unknownOutcome
        /// verifyReceipt does not confirm the receipt.
        case receiptRefusedByApple
        /// verifyReceipt rejects the app's shared secret: 21004.
        case wrongSharedSecret
        /// The task was cancelled. A change that could take effect twice was not sent.
        case cancelled

        /// Whether the same request may succeed later without a change.
        public var isRetryable: Bool {
            [.rateLimited, .appleUnavailable, .appleUnreachable, .appleTimedOut].contains(self)
        }
    }

    public let code: Code
    public let endpoint: Endpoint
    /// The requested environment; nil if none was.
    public internal(set) var environment: Environment?
    /// The HTTP status, if any.
    public internal(set) var status: Int?
    /// Apple's error number, known to this version or not.
    public internal(set) var appleCode: Raw<APIErrorCode>?
    /// The status in verifyReceipt's response, known to this version or not.
    public internal(set) var receiptStatus: Raw<VerifyReceiptStatus>?
    /// When Apple accepts requests again, if stated.
    public internal(set) var retryAt: Timestamp?
    /// Apple's clock at the rejection, if the response stated it.
    public internal(set) var answeredAt: Timestamp?
    /// What happened: one sentence.
    public let reason: String
    /// What to do: one sentence.
    public let remedy: String

    /// This failure, of a request to `environment`.
    func from(_ environment: Environment) -> APIFailure {
        var failure = self
        failure.environment = environment
        return failure
    }

    /// Whether the same request may succeed later without a change.
    public var isRetryable: Bool { code.isRetryable }
}

extension APIFailure: CustomStringConvertible {
    /// The endpoint, what happened, and what to do.
    public var description: String {
        let place = environment.map { " (\($0.rawValue))" } ?? ""
        return "\(endpoint.name)\(place): \(reason) \(remedy)"
    }
}
