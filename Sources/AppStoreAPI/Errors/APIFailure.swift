public import AppStore

/// Why Apple could not be asked, or did not say what was asked for. Holds no id, token, payload or
/// words of the answer, so it may be logged.
public struct APIFailure: Error, Sendable, Equatable {
    /// Stable codes; scripts rely on them.
    public enum Code: String, Sendable, CaseIterable {
        /// The request cannot be one of Apple's: refused before it was sent.
        case invalidRequest
        /// Apple refused it with a number of its own.
        case refusedByApple
        /// 401: key, issuer, key id, clock, or an app that was never released.
        case unauthorized
        /// 429, and waiting for its end would take longer than we wait.
        case rateLimited
        /// 5xx, after retries.
        case appleUnavailable
        /// No connection, or one that broke, after retries.
        case appleUnreachable
        /// No answer in time, after retries.
        case appleTimedOut
        /// A status that is none of Apple's.
        case unexpectedStatus
        /// Longer than any answer of Apple's; it was not read to its end.
        case answerTooLarge
        /// A 200 whose body is not the JSON it should be.
        case unreadableAnswer
        /// The answer names another app than the one asked about.
        case answerForAnotherApp
        /// Pages that go in a circle, or bring nothing for ever.
        case endlessPages
        /// A change was sent, and whether Apple made it is not known.
        case unknownOutcome
        /// verifyReceipt vouches for nothing of the receipt.
        case receiptRefusedByApple
        /// verifyReceipt does not take the app's shared secret: 21004.
        case wrongSharedSecret
        /// The asker gave up.
        case cancelled
    }

    /// What machines compare.
    public let code: Code
    /// What was asked for.
    public let endpoint: Endpoint
    /// Whom; nil before anybody was.
    public internal(set) var environment: Environment?
    /// The HTTP status, when there was one.
    public internal(set) var status: Int?
    /// Apple's number, known to this version or not.
    public internal(set) var appleCode: Raw<APIErrorCode>?
    /// The status in verifyReceipt's answer, known to this version or not.
    public internal(set) var receiptStatus: Raw<VerifyReceiptStatus>?
    /// When Apple takes requests again, where it said so.
    public internal(set) var retryAt: Timestamp?
    /// Apple's clock when it refused, where its answer told it.
    public internal(set) var answeredAt: Timestamp?
    /// What happened: one sentence of ours.
    public let reason: String
    /// What to do: one sentence.
    public let remedy: String

    init(
        _ code: Code, _ endpoint: Endpoint, environment: Environment? = nil, status: Int? = nil,
        appleCode: Raw<APIErrorCode>? = nil, retryAt: Timestamp? = nil, reason: String,
        remedy: String
    ) {
        self.code = code
        self.endpoint = endpoint
        self.environment = environment
        self.status = status
        self.appleCode = appleCode
        self.retryAt = retryAt
        self.reason = reason
        self.remedy = remedy
    }

    /// Whether the same request may succeed later without anything having been changed.
    public var isRetryable: Bool {
        switch code {
        case .refusedByApple: appleCode?.value?.isRetryable ?? false
        case .rateLimited, .appleUnavailable, .appleUnreachable, .appleTimedOut: true
        default: false
        }
    }
}

extension APIFailure: CustomStringConvertible {
    /// The endpoint, what happened, and what to do.
    public var description: String {
        let place = environment.map { " (\($0.rawValue))" } ?? ""
        return "\(endpoint.name)\(place): \(reason) \(remedy)"
    }
}
