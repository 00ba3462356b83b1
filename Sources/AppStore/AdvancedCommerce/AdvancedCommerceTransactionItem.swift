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
        case "refunds": try cursor.read(&refunds, key)
        case "revocationDate": try cursor.read(&revocationDate, key)
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
        if let refunds { json.array("refunds", refunds) }
        json.memberIfPresent("revocationDate", revocationDate?.milliseconds)
    }

    public var unknownValues: [String] {
        var names = UnknownValueNames()
        names.check("offer", offer)
        names.check("refunds", refunds)
        return names.names
    }
}
