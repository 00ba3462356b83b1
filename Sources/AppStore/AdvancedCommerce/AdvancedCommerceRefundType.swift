/// How much was refunded (Advanced Commerce API, `refundType`).
public enum AdvancedCommerceRefundType: String, Sendable, CaseIterable {
    case full = "FULL"
    case prorated = "PRORATED"
    case custom = "CUSTOM"
}
