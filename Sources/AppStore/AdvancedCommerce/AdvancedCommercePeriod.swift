/// Length of a subscription period (Advanced Commerce API, `period`).
public enum AdvancedCommercePeriod: String, Sendable, CaseIterable {
    case oneWeek = "P1W"
    case oneMonth = "P1M"
    case twoMonths = "P2M"
    case threeMonths = "P3M"
    case sixMonths = "P6M"
    case oneYear = "P1Y"
}
