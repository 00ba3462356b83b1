/// How a subscription period is paid (App Store Server API, `billingPlanType`).
public enum BillingPlanType: String, Sendable, CaseIterable {
    /// The whole period in advance.
    case billedUpfront = "BILLED_UPFRONT"
    /// A commitment of several months, billed each month.
    case monthly = "MONTHLY"
}
