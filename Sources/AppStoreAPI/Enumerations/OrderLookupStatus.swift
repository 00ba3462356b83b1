/// Whether an order id is valid (App Store Server API, `OrderLookupStatus`).
public enum OrderLookupStatus: Int64, Sendable, CaseIterable {
    /// It is one of this app's.
    case valid = 0
    /// It is not, or has no purchases.
    case invalid = 1
}
