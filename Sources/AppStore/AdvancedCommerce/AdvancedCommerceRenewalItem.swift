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

    /// Members with unknown keys, in order.
    public var unknown = UnknownMembers()

    /// All fields absent.
    public init() {}

    public mutating func readField(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool {
        switch key {
        case "SKU": try cursor.read(&sku, key)
        case "description": try cursor.read(&description, key)
        case "displayName": try cursor.read(&displayName, key)
        case "offer": try cursor.read(&offer, key)
        case "price": try cursor.read(&price, key)
        case "priceIncreaseInfo": try cursor.read(&priceIncreaseInfo, key)
        default: return false
        }
        return true
    }

    public func writeFields(_ json: inout JSONWriter) {
        json.memberIfPresent("SKU", sku)
        json.memberIfPresent("description", description)
        json.memberIfPresent("displayName", displayName)
        json.memberIfPresent("offer", offer)
        json.memberIfPresent("price", price)
        json.memberIfPresent("priceIncreaseInfo", priceIncreaseInfo)
    }

    public var unknownValues: [String] {
        var names = UnknownValueNames()
        names.check("offer", offer)
        names.check("priceIncreaseInfo", priceIncreaseInfo)
        return names.names
    }
}
