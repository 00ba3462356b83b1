/// The state of a chain at a moment (`Lifecycle.md` §2 and §5). Raw values are part of the
/// contract.
public enum ChainState: String, Sendable, CaseIterable {
    case subscribed
    case renewing
    case grace
    case billingRetry
    case expired
    case revoked
    // One-time purchases.
    case owned
    case lapsed
    case consumed

    /// Whether the state itself gives access.
    public var isEntitled: Bool {
        switch self {
        case .subscribed, .renewing, .grace, .owned: true
        case .billingRetry, .expired, .revoked, .lapsed, .consumed: false
        }
    }

    /// Apple's status number for the state (App Store Server API, `status`); nil where Apple has
    /// none (one-time purchases).
    public var appleStatus: Int64? {
        switch self {
        case .subscribed, .renewing: 1
        case .expired: 2
        case .billingRetry: 3
        case .grace: 4
        case .revoked: 5
        case .owned, .lapsed, .consumed: nil
        }
    }

    /// States inside a paid-for period.
    var isInPeriod: Bool { self == .subscribed || self == .renewing }
}

/// Why access ended (`Lifecycle.md` §2, "Why access ended").
public enum EndReason: String, Sendable, CaseIterable {
    case voluntary
    case billing
    case priceIncrease
    case productUnavailable
    case refund
    case familyRevoke
    case other
    /// Over by the clock; no fact gives a reason yet.
    case unconfirmed
}

extension ChainState {
    /// Text for people: the raw value, but "purchased" for a consumable, since `consumed` states
    /// only that it gives no lasting access.
    package var text: String { self == .consumed ? "purchased (consumable)" : rawValue }
}
