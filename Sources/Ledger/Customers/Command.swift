public import AppStore

/// A decision of an operator or back end about a customer: stored permanently as an event, with
/// actor and reason (`Lifecycle.md` §6). Its time is the event's `receivedAt`.
public struct Command: Hashable, Sendable {
    /// The event's identity: the same command sent again is a duplicate.
    public var id: String
    /// The person or system, as stated by the sender.
    public var actor: String
    /// The name of the token that the sender authenticated with, which the sender cannot choose;
    /// nil where no token is required: on the command line, and without `server.tokens`.
    public var tokenName: String?
    public var reason: String
    public var action: Action

    public enum Action: Hashable, Sendable {
        /// The chain belongs to the customer exclusively, until unlinked.
        case link(CustomerId)
        case unlink(CustomerId)
        /// An upload named the customer; the policy at that time decides the effect.
        case claim(CustomerId, policy: ClaimPolicy)
        /// The customer has an entitlement from now until a date.
        case grant(CustomerId, entitlement: String, until: Timestamp)
        /// Withdraws a grant, named by the id of its command.
        case ungrant(CustomerId, grant: String)
        /// A note about a chain (nil) or a customer.
        case note(CustomerId?)
    }

    public init(
        id: String, actor: String, tokenName: String? = nil, reason: String, action: Action
    ) {
        self.id = id
        self.actor = actor
        self.tokenName = tokenName
        self.reason = reason
        self.action = action
    }

    /// The customer concerned; nil for a note about a chain.
    public var customer: CustomerId? {
        switch action {
        case .link(let customer), .unlink(let customer), .claim(let customer, _),
            .grant(let customer, _, _), .ungrant(let customer, _):
            customer
        case .note(let customer): customer
        }
    }
}

/// Size limits of a command's fields, in bytes of UTF-8.
public enum CommandLimits {
    public static let idByteCount = 200
    public static let customerByteCount = 256
    public static let actorByteCount = 200
    public static let reasonByteCount = 2_000
    public static let entitlementByteCount = 200
}
