/// Why an offer was made (Advanced Commerce API, `reason`).
public enum AdvancedCommerceOfferReason: String, Sendable, CaseIterable {
    case acquisition = "ACQUISITION"
    case winBack = "WIN_BACK"
    case retention = "RETENTION"
}
