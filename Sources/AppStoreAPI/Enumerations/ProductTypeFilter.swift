/// Product type in a query (App Store Server API, `productType`); the values differ from payloads.
public enum ProductTypeFilter: String, Sendable, CaseIterable {
    case autoRenewable = "AUTO_RENEWABLE"
    case nonRenewable = "NON_RENEWABLE"
    case consumable = "CONSUMABLE"
    case nonConsumable = "NON_CONSUMABLE"
}
