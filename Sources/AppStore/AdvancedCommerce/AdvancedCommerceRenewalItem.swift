/// One item of the next Advanced Commerce renewal (App Store Server API,
/// `advancedCommerceInfo.items`).
public struct AdvancedCommerceRenewalItem: WireObject {
    /// The developer's own identifier of the item.
    public var sku: String?
    /// Description shown to the customer.
    public var description: String?
    /// Name shown to the customer.
    public var displayName: String?
    /// The discount in force, if any.
    public var offer: AdvancedCommerceOffer?
    /// Milliunits of the renewal's currency.
    public var price: Int64?
    /// A pending price increase, if any.
    public var priceIncreaseInfo: AdvancedCommercePriceIncreaseInfo?

    public var unknown: [JSONMember] = []

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("SKU", &sku)
        visitor.visit("description", &description)
        visitor.visit("displayName", &displayName)
        visitor.visit("offer", &offer)
        visitor.visit("price", &price)
        visitor.visit("priceIncreaseInfo", &priceIncreaseInfo)
    }
}
