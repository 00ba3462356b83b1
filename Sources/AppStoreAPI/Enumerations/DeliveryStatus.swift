/// Whether the purchase was delivered (App Store Server API, `deliveryStatus`, version 2).
public enum DeliveryStatus: String, Sendable, CaseIterable {
    /// Delivered and working.
    case delivered = "DELIVERED"
    /// Not working correctly.
    case undeliveredQualityIssue = "UNDELIVERED_QUALITY_ISSUE"
    /// A different item.
    case undeliveredWrongItem = "UNDELIVERED_WRONG_ITEM"
    /// The app's server was down.
    case undeliveredServerOutage = "UNDELIVERED_SERVER_OUTAGE"
    case undeliveredOther = "UNDELIVERED_OTHER"
}
