public import AppStore
internal import Ledger

/// Why a delivery is not in the log.
public struct IntakeRefusal: Error, Sendable, Equatable {
    /// What the sender is to make of it.
    public enum Standing: Sendable, Equatable {
        /// It is none of the forms that are taken here; sending it again is of no use.
        case malformed
        /// It is not believed.
        case invalid
        /// It is believed, but of an app or environment that is not configured here, or of no use
        /// to this version: to be sent again, so that nothing genuine is lost to us.
        case notAcceptable
        /// Nothing is wrong with it: to be sent again.
        case unavailable
        /// Nothing is wrong with it, but its sender sends too much: to be sent again later.
        case overBudget(retryAfterSeconds: Int)
    }

    /// The code of what is over its bound.
    public static let payloadTooLarge = "payloadTooLarge"

    /// Said of evidence of a foreign app of which no copy could be kept.
    static let noCopy =
        "The evidence is of an app that is not configured here, and no copy is kept, for want of room"
        + " in quarantine or because it cannot be written; add the app, and it must be sent again."

    public let standing: Standing
    /// A code of `contract.md`, of `StoreError` or of the service.
    public let code: String
    /// The signed part that failed, if one did.
    public let part: String?
    /// One sentence without anything of the content.
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
}
