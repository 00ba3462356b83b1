public import AppStore

/// A piece of a chain's valid time, `[from, to)`, with one state and one product, while one
/// customer holds the chain.
public struct HeldStretch: Hashable, Sendable {
    public var state: ChainState
    public var from: Timestamp
    /// Nil while it is open.
    public var to: Timestamp?
    /// Bounds of the unbroken time in this state, as far as the customer holds the chain;
    /// `until` nil if open.
    public var since: Timestamp
    public var until: Timestamp?
    /// When access last ended before this; its own start where there was none, and where this
    /// gives access.
    public var accessEnded: Timestamp
    public var productId: ProductId?
    /// Apple's subscription group.
    public var group: SubscriptionGroupIdentifier?
    /// How far the least believed of the events that decide the state is believed, the token that
    /// names the holder among them.
    public var trust: Trust
    /// Positions of the events that decide it, the one that names the holder included, ascending.
    public var evidence: [Int64]

    public init(
        state: ChainState, from: Timestamp, to: Timestamp?, since: Timestamp, until: Timestamp?,
        accessEnded: Timestamp, productId: ProductId?, group: SubscriptionGroupIdentifier?,
        trust: Trust, evidence: [Int64]
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
    }

    func contains(_ time: Timestamp) -> Bool {
        from <= time && (to.map { time < $0 } ?? true)
    }
}
