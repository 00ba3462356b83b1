/// The true state of a subscriber. The names are the contract's, but the type is separate, since
/// the truth must not depend on the code it tests.
public enum TrueState: String, Sendable, CaseIterable {
    case subscribed
    case renewing
    case grace
    case billingRetry
    case expired
    case revoked
    case owned
    case lapsed
    case consumed

    /// Whether the state gives access (`Lifecycle.md` §2, table of states; §5).
    public var isEntitled: Bool {
        switch self {
        case .subscribed, .renewing, .grace, .owned: true
        case .billingRetry, .expired, .revoked, .lapsed, .consumed: false
        }
    }
}
