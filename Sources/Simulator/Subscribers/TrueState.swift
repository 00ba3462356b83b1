/// What state a subscriber truly was in. The words are the contract's, but a type of this room:
/// the truth must not depend on what it checks.
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

    /// Whether the state gives access (`lifecycle.md` §2, table of states; §5).
    public var isEntitled: Bool {
        switch self {
        case .subscribed, .renewing, .grace, .owned: true
        case .billingRetry, .expired, .revoked, .lapsed, .consumed: false
        }
    }
}
