public import AppStore

/// Whether a customer has one entitlement at one moment, and why (`Lifecycle.md` §6).
public struct Verdict: Hashable, Sendable {
    public var entitlement: String
    public var active: Bool
    /// Why it is active; nil when it is not.
    public var basis: Basis?
    /// State of the cited chain; nil for a grant.
    public var state: ChainState?
    public var productId: ProductId?
    /// Bounds of that state, of the leeway or of the grant; `until` nil if open, and not after the
    /// product changes to one that does not give the entitlement.
    public var since: Timestamp
    public var until: Timestamp?
    /// When access ended; nil while it is given. Not part of the contract.
    public var endedAt: Timestamp?
    /// The cited chain; nil for a grant.
    public var originalTransactionId: OriginalTransactionId?
    /// Trust of the verdict (`Lifecycle.md` §6 and §7): the lowest among the events that decide the
    /// state, including the token that names the customer; `operator` for a grant.
    public var trust: Trust
    /// Positions of the events that decide it, ascending.
    public var evidence: [Int64]

    /// What gives access. Raw values are part of the contract.
    public enum Basis: String, Sendable, CaseIterable {
        /// A paid-for or free period.
        case period
        case grace
        /// A renewal is overdue, and no event states that it failed.
        case leeway
        /// A one-time purchase.
        case owned
        /// A manual grant.
        case grant

        /// The basis of an entitled state; nil for others.
        package init?(_ state: ChainState) {
            switch state {
            case .subscribed, .renewing: self = .period
            case .grace: self = .grace
            case .owned: self = .owned
            case .billingRetry, .expired, .revoked, .lapsed, .consumed: return nil
            }
        }
    }
}

/// A customer's status for a product, a group, or overall (`Lifecycle.md` §6).
public enum Standing: String, Sendable, CaseIterable {
    /// Never had one.
    case new
    case active
    /// Had one: expired, revoked or in billing retry.
    case inactive
}
