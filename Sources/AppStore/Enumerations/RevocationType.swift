/// How a transaction was revoked (App Store Server API, `revocationType`).
public enum RevocationType: String, Sendable, CaseIterable {
    /// The whole price.
    case refundFull = "REFUND_FULL"
    /// Part of the price: `revocationPercentage`.
    case refundProrated = "REFUND_PRORATED"
    /// Family sharing ended, or the purchaser was refunded.
    case familyRevoke = "FAMILY_REVOKE"
    /// A multiseat seat was withdrawn.
    case assignmentRevoke = "ASSIGNMENT_REVOKE"
}
