public import AppStore

/// A piece `[from, to)` of a chain's valid time with one state and one product, held by one
/// customer.
public struct HoldingInterval: HalfOpen, Hashable, Sendable {
    public var state: ChainState
    public var from: Timestamp
    /// Nil while it is open.
    public var to: Timestamp?
    /// Bounds of the unbroken time in this state while the customer holds the chain; `until` nil if
    /// open.
    public var since: Timestamp
    public var until: Timestamp?
    /// When access last ended before this; its own start if there was none, or if this gives
    /// access.
    public var accessEnded: Timestamp
    public var productId: ProductId?
    /// Apple's subscription group.
    public var group: SubscriptionGroupIdentifier?
    /// The lowest trust among the events that decide the state, including the token that names the
    /// holder.
    public var trust: Trust
    /// Positions of the events that decide it, including the one that names the holder, ascending.
    public var evidence: [Int64]
    /// The lowest trust among the events of `endEvidence`; `signed` without any.
    public var endTrust: Trust
    /// Positions of the events by which another product or other holders follow, ascending; empty
    /// where neither does.
    public var endEvidence: [Int64]

    public init(
        state: ChainState, from: Timestamp, to: Timestamp?, since: Timestamp, until: Timestamp?,
        accessEnded: Timestamp, productId: ProductId?, group: SubscriptionGroupIdentifier?,
        trust: Trust, evidence: [Int64], endTrust: Trust, endEvidence: [Int64]
    ) {
        self.state = state
        self.from = from
        self.to = to
        self.since = since
        self.until = until
        self.accessEnded = accessEnded
        self.productId = productId
        self.group = group
        self.trust = trust
        self.evidence = evidence
        self.endTrust = endTrust
        self.endEvidence = endEvidence
    }
}
