/// One item of an Advanced Commerce transaction (App Store Server API,
/// `advancedCommerceInfo.items`).
public struct AdvancedCommerceTransactionItem: WireObject {
    /// The developer's own identifier of the item.
    public var sku: String?
    /// Description shown to the customer.
    public var description: String?
    /// Name shown to the customer.
    public var displayName: String?
    /// The discount in force, if any.
    public var offer: AdvancedCommerceOffer?
    /// Milliunits of the transaction's currency.
    public var price: Int64?
    /// Refunds of this item so far.
    public var refunds: [AdvancedCommerceRefund]?
    /// When the item was refunded or revoked.
    public var revocationDate: Timestamp?

    public var unknown: [JSONMember] = []

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("SKU", &sku)
        visitor.visit("description", &description)
        visitor.visit("displayName", &displayName)
        visitor.visit("offer", &offer)
        visitor.visit("price", &price)
        visitor.visit("refunds", &refunds)
        visitor.visit("revocationDate", &revocationDate)
    }
}
