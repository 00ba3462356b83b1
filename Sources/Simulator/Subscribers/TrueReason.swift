/// Why a subscriber truly lost access (`lifecycle.md` §2, "reason an access ended").
public enum TrueReason: String, Sendable, CaseIterable {
    case voluntary
    case billing
    case priceIncrease
    case productUnavailable
    case refund
    case familyRevoke
    case other
    /// Nothing that was sent says why.
    case unconfirmed
}
