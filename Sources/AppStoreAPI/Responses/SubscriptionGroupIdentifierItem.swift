public import AppStore

/// The subscriptions of one group (App Store Server API, `SubscriptionGroupIdentifierItem`).
public struct SubscriptionGroupIdentifierItem: WireObject {
    /// The group.
    public var subscriptionGroupIdentifier: SubscriptionGroupIdentifier?
    /// One per chain.
    public var lastTransactions: [LastTransactionsItem]?

    /// Members with unknown keys, in order.
    public var unknown = UnknownMembers()

    /// All fields absent.
    public init() {}

    public mutating func readField(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool {
        switch key {
        case "subscriptionGroupIdentifier": try cursor.read(&subscriptionGroupIdentifier, key)
        case "lastTransactions": try cursor.read(&lastTransactions, key)
        default: return false
        }
        return true
    }

    public func writeFields(_ json: inout JSONWriter) {
        json.memberIfPresent("subscriptionGroupIdentifier", subscriptionGroupIdentifier)
        if let lastTransactions { json.array("lastTransactions", lastTransactions) }
    }

    public var unknownValues: [String] {
        var names: [String] = []
        for name in (lastTransactions ?? []).flatMap(\.unknownValues)
        where !names.contains("lastTransactions.\(name)") {
            names.append("lastTransactions.\(name)")
        }
        return names
    }
}
