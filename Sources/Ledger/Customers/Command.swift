public import AppStore

/// What an operator or a back end decided about a customer: an event like any other, kept for ever
/// with who and why (`lifecycle.md` §6). When is the event's `receivedAt`.
public struct Command: Hashable, Sendable {
    /// The event's identity: the same command sent again is a duplicate.
    public var id: String
    /// Who: a person or a system, as they call themselves.
    public var actor: String
    /// The name of the token that the sender authenticated with, which the sender cannot choose; nil
    /// where no token was asked for: on the command line, and without `server.tokens`.
    public var tokenName: String?
    public var reason: String
    public var action: Action

    public enum Action: Hashable, Sendable {
        /// The chain is the customer's, and nobody else's, until unlinked.
        case link(CustomerId)
        case unlink(CustomerId)
        /// An upload named the customer; what that does is the policy of its time.
        case claim(CustomerId, policy: ClaimPolicy)
        /// The customer has an entitlement from now until a date.
        case grant(CustomerId, entitlement: String, until: Timestamp)
        /// A grant, named by its command, is withdrawn.
        case ungrant(CustomerId, grant: String)
        /// Words about a chain (nil) or about a customer.
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

    /// The customer it is about; nil for a note about a chain.
    public var customer: CustomerId? {
        switch action {
        case .link(let customer), .unlink(let customer), .claim(let customer, _),
            .grant(let customer, _, _), .ungrant(let customer, _):
            customer
        case .note(let customer): customer
        }
    }

    /// Whether it is about a customer as such, and about no chain.
    public var isOfCustomer: Bool {
        switch action {
        case .link, .unlink, .claim: false
        case .grant, .ungrant: true
        case .note(let customer): customer != nil
        }
    }
}

/// The bounds of what a command may say, in bytes of UTF-8.
public enum CommandLimits {
    public static let idByteCount = 200
    public static let customerByteCount = 256
    public static let actorByteCount = 200
    public static let reasonByteCount = 2_000
    public static let entitlementByteCount = 200
}
