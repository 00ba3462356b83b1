/// Why a subscription expired or is about to (App Store Server API, `expirationIntent`).
public enum ExpirationIntent: Int64, Sendable, CaseIterable {
    /// Auto-renewal turned off.
    case customerCancelled = 1
    /// Payment failed.
    case billingError = 2
    /// To a price increase, or to an offer's conversion that needs consent.
    case customerDidNotConsentToPriceIncrease = 3
    /// At the time of renewal.
    case productNotAvailable = 4
    /// Any other reason.
    case other = 5
}
