/// Why a subscription expired or is about to (App Store Server API, `expirationIntent`).
public enum ExpirationIntent: Int64, Sendable, CaseIterable {
    /// Auto-renewal turned off.
    case customerCancelled = 1
    /// Payment failed.
    case billingError = 2
    /// No consent to a price increase, or to an offer's conversion that requires consent.
    case customerDidNotConsentToPriceIncrease = 3
    /// Not available at renewal.
    case productNotAvailable = 4
    case other = 5
}
