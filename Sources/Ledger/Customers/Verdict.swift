public import AppStore

/// Whether a customer has one entitlement at one moment, and why (`lifecycle.md` §6).
public struct Verdict: Hashable, Sendable {
    public var entitlement: String
    public var active: Bool
    /// Why it is active; nil when it is not.
    public var basis: Basis?
    /// The state of the chain cited; nil for a grant.
    public var state: ChainState?
    public var productId: ProductId?
    /// Bounds of that state, of the leeway or of the grant; `until` nil if open.
    public var since: Timestamp
    public var until: Timestamp?
    /// The chain cited; nil for a grant.
    public var originalTransactionId: OriginalTransactionId?
    /// The rank of trust it rests on (`lifecycle.md` §2 rule 2): that of the least believed event
    /// that decides the state, the token that names the customer among them; of a grant `operator`.
    public var trust: Trust
    /// Positions of the events that decide it, ascending.
    public var evidence: [Int64]

    /// What gives access. Raw values are the contract's.
    public enum Basis: String, Sendable, CaseIterable {
        /// A paid-for or free period.
        case period
        case grace
        /// A renewal is overdue, and nothing says that it failed.
        case leeway
        /// A one-time purchase.
        case owned
        /// A manual grant.
        case grant

        /// What an entitled state is called; nil for the others.
        init?(_ state: ChainState) {
            switch state {
            case .subscribed, .renewing: self = .period
            case .grace: self = .grace
            case .owned: self = .owned
            case .billingRetry, .expired, .revoked, .lapsed, .consumed: return nil
            }
        }
    }
}

/// What a customer is to a product, a group, or the whole (`lifecycle.md` §6).
public enum Standing: String, Sendable, CaseIterable {
    /// Never had one.
    case new
    case active
    /// Had one: expired, revoked or in billing retry.
    case inactive
}
