/// Kind of in-app purchase in an app receipt, attribute 1707. Not documented by Apple; the first
/// four are what others found (`appstore.md` §6), `freeSubscription` was seen in genuine receipts
/// beside a product of that name.
public enum ReceiptProductType: Int64, Sendable, CaseIterable {
    case nonConsumable = 0
    case consumable = 1
    case nonRenewingSubscription = 2
    case autoRenewableSubscription = 3
    /// Newsstand's free subscriptions, no longer sold.
    case freeSubscription = 4

    /// The App Store Server API's word for it; it has none for free subscriptions.
    public var productType: ProductType? {
        switch self {
        case .nonConsumable: .nonConsumable
        case .consumable: .consumable
        case .nonRenewingSubscription: .nonRenewingSubscription
        case .autoRenewableSubscription: .autoRenewableSubscription
        case .freeSubscription: nil
        }
    }
}
