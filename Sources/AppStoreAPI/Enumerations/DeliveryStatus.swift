/// Whether what was bought was delivered (App Store Server API, `deliveryStatus`, version 2).
public enum DeliveryStatus: String, Sendable, CaseIterable {
    /// It works.
    case delivered = "DELIVERED"
    /// It does not work as it should.
    case undeliveredQualityIssue = "UNDELIVERED_QUALITY_ISSUE"
    /// It was something else.
    case undeliveredWrongItem = "UNDELIVERED_WRONG_ITEM"
    /// Our service was down.
    case undeliveredServerOutage = "UNDELIVERED_SERVER_OUTAGE"
    /// Another reason.
    case undeliveredOther = "UNDELIVERED_OTHER"
}
