/// A pending price increase of one item (Advanced Commerce API, `priceIncreaseInfo`).
public struct AdvancedCommercePriceIncreaseInfo: WireObject {
    /// Items whose prices increase with this one.
    public var dependentSKUs: [String]?
    /// Milliunits of the renewal's currency.
    public var price: Int64?
    /// Progress of the increase.
    public var status: Raw<AdvancedCommercePriceIncreaseInfoStatus>?

    /// Members with unknown keys, in order.
    public var unknown = UnknownMembers()

    /// All fields absent.
    public init() {}

    public mutating func readField(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool {
        switch key {
        case "dependentSKUs": try cursor.read(&dependentSKUs, key)
        case "price": try cursor.read(&price, key)
        case "status": try cursor.read(&status, key)
        default: return false
        }
        return true
    }

    public func writeFields(_ json: inout JSONWriter) {
        if let dependentSKUs { json.array("dependentSKUs", dependentSKUs) }
        json.memberIfPresent("price", price)
        json.memberIfPresent("status", status)
    }

    public var unknownValues: [String] {
        var names = UnknownValueNames()
        names.check("status", status)
        return names.names
    }
}
