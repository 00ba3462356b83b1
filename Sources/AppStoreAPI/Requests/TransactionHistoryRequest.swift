public import AppStore

/// Which of a customer's transactions are asked for (App Store Server API,
/// `TransactionHistoryRequest`): a query, repeated with every page.
public struct TransactionHistoryRequest: Sendable, Equatable {
    /// purchaseDate from then on.
    public var startDate: Timestamp?
    /// purchaseDate before then.
    public var endDate: Timestamp?
    public var productIds: [ProductId] = []
    public var productTypes: [Raw<ProductTypeFilter>] = []
    public var sort: Raw<HistoryOrder>?
    public var subscriptionGroupIdentifiers: [SubscriptionGroupIdentifier] = []
    public var inAppOwnershipType: Raw<InAppOwnershipType>?
    /// Only revoked ones, or only others; nil: all.
    public var revoked: Bool?

    /// Everything.
    public init() {}

    var query: [APIRequest.QueryItem] {
        var items: [APIRequest.QueryItem] = []
        func add(_ name: String, _ value: String?) {
            if let value { items.append(.init(name: name, value: value)) }
        }
        add("startDate", startDate.map { String($0.milliseconds) })
        add("endDate", endDate.map { String($0.milliseconds) })
        for id in productIds { add("productId", id.rawValue) }
        for type in productTypes { add("productType", type.rawValue) }
        add("sort", sort?.rawValue)
        for id in subscriptionGroupIdentifiers {
            add("subscriptionGroupIdentifier", id.rawValue)
        }
        add("inAppOwnershipType", inAppOwnershipType?.rawValue)
        add("revoked", revoked.map { $0 ? "true" : "false" })
        return items
    }
}
