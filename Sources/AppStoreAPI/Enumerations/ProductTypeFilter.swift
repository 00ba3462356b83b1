/// Product type in a query (App Store Server API, `productType`); the values differ from payloads.
public enum ProductTypeFilter: String, Sendable, CaseIterable {
    /// Auto-renewable subscriptions.
    case autoRenewable = "AUTO_RENEWABLE"
    /// Non-renewing subscriptions.
    case nonRenewable = "NON_RENEWABLE"
    /// Consumables.
    case consumable = "CONSUMABLE"
    /// Non-consumables.
    case nonConsumable = "NON_CONSUMABLE"
}
