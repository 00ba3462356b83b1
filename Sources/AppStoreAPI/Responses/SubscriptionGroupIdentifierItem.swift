public import AppStore

/// The subscriptions of one group (App Store Server API, `SubscriptionGroupIdentifierItem`).
public struct SubscriptionGroupIdentifierItem: APIObject {
    public var subscriptionGroupIdentifier: SubscriptionGroupIdentifier?
    /// One per chain.
    public var lastTransactions: [LastTransactionsItem]?

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("subscriptionGroupIdentifier", &subscriptionGroupIdentifier)
        visitor.visit("lastTransactions", &lastTransactions)
    }
}
