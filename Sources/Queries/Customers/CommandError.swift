public import LedgerStore

/// A rejected command. Nothing was written, except possibly with `idempotencyKeyReused`: a command
/// that lost a race may be in the log, without effect.
public struct CommandError: Error, Sendable, Equatable, CustomStringConvertible {
    public let code: Code
    /// What is wrong and what to do, for people.
    public let message: String
    /// Set when the store failed.
    public let failure: StoreError?

    /// Stable names; scripts rely on them.
    public enum Code: String, Sendable, CaseIterable {
        case invalidCustomer
        case invalidActor
        case invalidReason
        case invalidEntitlement
        /// The end of a grant is not in the future.
        case invalidTime
        case invalidIdempotencyKey
        /// The key was already used for another command.
        case idempotencyKeyReused
        /// The chain is not linked to that customer.
        case notLinked
        /// The customer has no such grant, or no longer.
        case noSuchGrant
        /// The log failed; see `failure`.
        case store
    }

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
        failure = nil
    }

    init(_ failure: StoreError) {
        code = .store
        message = failure.description
        self.failure = failure
    }

    public var description: String { message }

    public static func == (left: CommandError, right: CommandError) -> Bool {
        left.code == right.code && left.failure == right.failure
    }
}
