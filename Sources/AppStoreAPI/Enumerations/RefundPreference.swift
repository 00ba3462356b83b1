/// The preferred result of a refund request (App Store Server API, `refundPreference`, version 2).
public enum RefundPreference: String, Sendable, CaseIterable {
    case decline = "DECLINE"
    case grantFull = "GRANT_FULL"
    /// Refund of the part that was not consumed.
    case grantProrated = "GRANT_PRORATED"
}
