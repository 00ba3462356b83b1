/// What we would rather Apple did with a request for a refund (App Store Server API,
/// `refundPreference`, version 2).
public enum RefundPreference: String, Sendable, CaseIterable {
    /// No refund.
    case decline = "DECLINE"
    /// All of it.
    case grantFull = "GRANT_FULL"
    /// The part that was not consumed.
    case grantProrated = "GRANT_PRORATED"
}
