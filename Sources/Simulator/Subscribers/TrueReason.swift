/// Why a subscriber lost access (`Lifecycle.md` §2, "Why access ended").
public enum TrueReason: String, Sendable, CaseIterable {
    case voluntary
    case billing
    case priceIncrease
    case productUnavailable
    case refund
    case familyRevoke
    case other
    /// No evidence states the reason.
    case unconfirmed
}
