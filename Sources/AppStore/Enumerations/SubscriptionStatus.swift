/// State of an auto-renewable subscription at the payload's signedDate (App Store Server API,
/// `status`). Absent from notifications before 2023-06.
public enum SubscriptionStatus: Int64, Sendable, CaseIterable {
    /// Access to the end of the period.
    case active = 1
    case expired = 2
    /// Payment failed; Apple retries, without access.
    case billingRetry = 3
    /// Payment failed; access continues.
    case billingGracePeriod = 4
    /// Refunded, or lost with Family Sharing.
    case revoked = 5
}
