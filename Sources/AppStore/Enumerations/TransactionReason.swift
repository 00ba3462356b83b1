/// What caused a transaction (App Store Server API, `transactionReason`). An upgrade is a
/// purchase; a downgrade taking effect is a renewal.
public enum TransactionReason: String, Sendable, CaseIterable {
    /// By the customer.
    case purchase = "PURCHASE"
    /// By the App Store.
    case renewal = "RENEWAL"
}
