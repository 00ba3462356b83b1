/// The preferred result of a refund request (App Store Server API, `refundPreference`, version 2).
public enum RefundPreference: String, Sendable, CaseIterable {
    /// No refund.
    case decline = "DECLINE"
    /// Full refund.
    case grantFull = "GRANT_FULL"
    /// Refund of the part that was not consumed.
    case grantProrated = "GRANT_PRORATED"
}
