/// Why a refund was made (Advanced Commerce API, `refundReason`).
public enum AdvancedCommerceRefundReason: String, Sendable, CaseIterable {
    case unintendedPurchase = "UNINTENDED_PURCHASE"
    case fulfillmentIssue = "FULFILLMENT_ISSUE"
    case unsatisfiedWithPurchase = "UNSATISFIED_WITH_PURCHASE"
    case legal = "LEGAL"
    case other = "OTHER"
    /// Items of the subscription were changed.
    case modifyItemsRefund = "MODIFY_ITEMS_REFUND"
    /// Sandbox only: requests a declined refund.
    case simulateRefundDecline = "SIMULATE_REFUND_DECLINE"
}
