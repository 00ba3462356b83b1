/// Why a transaction was revoked (App Store Server API, `revocationReason`).
public enum RevocationReason: Int64, Sendable, CaseIterable {
    /// No issue with the app was stated.
    case refundedForOtherReason = 0
    /// An actual or perceived issue with the app.
    case refundedDueToIssue = 1
}
