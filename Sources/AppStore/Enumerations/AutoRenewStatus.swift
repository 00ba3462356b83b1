/// Whether the subscription renews at the end of its period (App Store Server API,
/// `autoRenewStatus`).
public enum AutoRenewStatus: Int64, Sendable, CaseIterable {
    /// Ends with the period.
    case off = 0
    /// Renews.
    case on = 1
}
