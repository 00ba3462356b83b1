/// Names of changes of state in feeds and webhooks: one for each kind of transition
/// (`Lifecycle.md` §3). Raw values are part of the contract.
public enum TransitionName: String, Sendable, CaseIterable {
    /// The chain's first state is `subscribed`.
    case started
    /// The history begins mid-life: the chain's first state is `renewing`.
    case adopted
    /// From one entitled period into the next without a gap: the first renewal, an upgrade.
    case continued
    /// A new period after `expired`.
    case resubscribed
    /// Paid after failure: from `grace` or `billingRetry` into a period.
    case recovered
    /// Out of `revoked`: the refund was reversed, the family copy shared again, or the product
    /// bought again.
    case reinstated
    case graceStarted
    case billingRetryStarted
    case expired
    case revoked
    /// A one-time purchase is owned.
    case purchased
    /// A non-renewing subscription's time is over.
    case lapsed
    case consumed

    public init(_ transition: Transition) {
        self.init(from: transition.from, to: transition.to)
    }

    init(from: ChainState?, to: ChainState) {
        switch to {
        case .subscribed, .renewing: self = TransitionName.period(from, to)
        case .grace: self = from == .revoked ? .reinstated : .graceStarted
        case .billingRetry: self = .billingRetryStarted
        case .expired: self = .expired
        case .revoked: self = .revoked
        case .owned: self = from == nil ? .purchased : .reinstated
        case .lapsed: self = .lapsed
        case .consumed: self = from == nil ? .consumed : .reinstated
        }
    }

    private static func period(_ from: ChainState?, _ to: ChainState) -> TransitionName {
        switch from {
        case nil: to == .renewing ? .adopted : .started
        case .expired: .resubscribed
        case .grace, .billingRetry: .recovered
        case .revoked: .reinstated
        case .subscribed, .renewing, .owned, .lapsed, .consumed: .continued
        }
    }
}
