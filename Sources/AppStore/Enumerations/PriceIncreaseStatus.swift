/// The customer's response to a price increase (App Store Server API, `priceIncreaseStatus`).
public enum PriceIncreaseStatus: Int64, Sendable, CaseIterable {
    /// Consent is required and not given.
    case customerHasNotResponded = 0
    /// The increase will apply.
    case customerConsentedOrWasNotifiedWithoutNeedingConsent = 1
}
