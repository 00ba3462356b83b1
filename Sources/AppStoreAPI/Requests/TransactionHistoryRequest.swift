public import AppStore

/// Filter of a customer's transactions (App Store Server API, `TransactionHistoryRequest`),
/// repeated with every page.
public struct TransactionHistoryRequest: Sendable, Equatable {
    /// Earliest purchaseDate, inclusive.
    public var startDate: Timestamp?
    /// Upper bound of purchaseDate, exclusive.
    public var endDate: Timestamp?
    public var productIds: [ProductId] = []
    public var productTypes: [Raw<ProductTypeFilter>] = []
    public var sort: Raw<HistoryOrder>?
    public var subscriptionGroupIdentifiers: [SubscriptionGroupIdentifier] = []
    public var inAppOwnershipType: Raw<InAppOwnershipType>?
    /// True: only revoked ones; false: only others; nil: all.
    public var revoked: Bool?

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
