public import AppStore
import Ledger

/// Why a delivery is not in the log.
public struct IntakeRefusal: Error, Sendable, Equatable {
    /// What the refusal means for the sender.
    public enum Standing: Sendable, Equatable {
        /// Not an accepted form; do not retry.
        case malformed
        /// Verification failed.
        case invalid
        /// Genuine, but of an app or environment that is not configured here, or not supported by
        /// this version. To be retried, so that no genuine evidence is lost.
        case notAcceptable
        /// Valid; to be retried.
        case unavailable
        /// Valid, but the sender exceeds its budget; to be retried later.
        case overBudget(retryAfterSeconds: Int)
    }

    /// The code of a body over its size limit.
    public static let payloadTooLarge = "payloadTooLarge"

    /// Message for evidence of a foreign app of which no copy could be kept.
    static let noCopy =
        "The evidence is of an app that is not configured here, and no copy is kept: quarantine"
        + " is full or cannot be written. Add the app and have the evidence sent again."

    public let standing: Standing
    /// A code of `Contract.md`, of `StoreError` or of the service.
    public let code: String
    /// The signed part that failed, if any.
    public let part: String?
    /// One sentence without any of the content.
    public package(set) var message: String
    public var bundleId: BundleId?
    public var environment: Environment?
    /// Whether a copy is in quarantine.
    public var isKept = false

    init(
        _ standing: Standing, code: String, part: String? = nil, message: String,
        bundleId: BundleId? = nil, environment: Environment? = nil
    ) {
        self.standing = standing
        self.code = code
        self.part = part
        self.message = message
        self.bundleId = bundleId
        self.environment = environment
    }

    /// Refuses events while the clock is ahead: the log would misdate them permanently.
    init(clockAhead milliseconds: Int64, _ environment: Environment?) {
        let error = ServingError.clockJumped(milliseconds: milliseconds)
        self.init(
            .unavailable, code: error.code, message: error.message, environment: environment)
    }

    static func malformedJSON(_ error: JSONError) -> IntakeRefusal {
        IntakeRefusal(
            .malformed, code: "malformedJSON",
            message: "The body is not valid JSON (\(error.code.rawValue)).")
    }

    static func invalidBody(_ message: String) -> IntakeRefusal {
        IntakeRefusal(.malformed, code: "invalidBody", message: message)
    }
}
