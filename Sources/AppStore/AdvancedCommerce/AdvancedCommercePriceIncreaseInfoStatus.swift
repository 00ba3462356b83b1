/// State of a price increase (Advanced Commerce API, `priceIncreaseInfo.status`).
public enum AdvancedCommercePriceIncreaseInfoStatus: String, Sendable, CaseIterable {
    case scheduled = "SCHEDULED"
    case pending = "PENDING"
    case accepted = "ACCEPTED"
}
