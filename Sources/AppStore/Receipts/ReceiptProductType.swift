/// Product type in an app receipt, attribute 1707. Not documented by Apple; the first four are
/// reverse-engineered (`Receipts.md`), `freeSubscription` was seen in genuine receipts with a
/// product of that name.
public enum ReceiptProductType: Int64, Sendable, CaseIterable {
    case nonConsumable = 0
    case consumable = 1
    case nonRenewingSubscription = 2
    case autoRenewableSubscription = 3
    /// Newsstand's free subscriptions, no longer sold.
    case freeSubscription = 4

    /// The type's name in the App Store Server API; nil for free subscriptions.
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
