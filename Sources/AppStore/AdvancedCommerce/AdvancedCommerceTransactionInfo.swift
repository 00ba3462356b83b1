/// Advanced Commerce part of a transaction (App Store Server API, `advancedCommerceInfo`).
public struct AdvancedCommerceTransactionInfo: WireObject {
    /// Display texts of the purchase as a whole.
    public var descriptors: AdvancedCommerceDescriptors?
    /// Milliunits of the transaction's currency.
    public var estimatedTax: Int64?
    /// Items of the purchase.
    public var items: [AdvancedCommerceTransactionItem]?
    /// Length of one subscription period.
    public var period: Raw<AdvancedCommercePeriod>?
    /// The developer's identifier of the request that caused this.
    public var requestReferenceId: String?
    /// The developer's tax category of the purchase.
    public var taxCode: String?
    /// Milliunits of the transaction's currency.
    public var taxExclusivePrice: Int64?
    /// A decimal fraction as text, e.g. `0.15`.
    public var taxRate: String?

    public var unknown: [JSONMember] = []

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("descriptors", &descriptors)
        visitor.visit("estimatedTax", &estimatedTax)
        visitor.visit("items", &items)
        visitor.visit("period", &period)
        visitor.visit("requestReferenceId", &requestReferenceId)
        visitor.visit("taxCode", &taxCode)
        visitor.visit("taxExclusivePrice", &taxExclusivePrice)
        visitor.visit("taxRate", &taxRate)
    }
}
