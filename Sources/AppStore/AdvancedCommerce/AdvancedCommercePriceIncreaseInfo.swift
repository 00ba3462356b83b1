/// A pending price increase of one item (Advanced Commerce API, `priceIncreaseInfo`).
public struct AdvancedCommercePriceIncreaseInfo: WireObject {
    /// Items whose prices increase with this one.
    public var dependentSKUs: [String]?
    /// Milliunits of the renewal's currency.
    public var price: Int64?
    /// Progress of the increase.
    public var status: Raw<AdvancedCommercePriceIncreaseInfoStatus>?

    public var unknown: [JSONMember] = []

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("dependentSKUs", &dependentSKUs)
        visitor.visit("price", &price)
        visitor.visit("status", &status)
    }
}
