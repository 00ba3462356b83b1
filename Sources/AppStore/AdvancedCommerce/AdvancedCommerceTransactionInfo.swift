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

    /// Members with unknown keys, in order.
    public var unknown = UnknownMembers()

    /// All fields absent.
    public init() {}

    public mutating func readField(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool {
        switch key {
        case "descriptors": try cursor.read(&descriptors, key)
        case "estimatedTax": try cursor.read(&estimatedTax, key)
        case "items": try cursor.read(&items, key)
        case "period": try cursor.read(&period, key)
        case "requestReferenceId": try cursor.read(&requestReferenceId, key)
        case "taxCode": try cursor.read(&taxCode, key)
        case "taxExclusivePrice": try cursor.read(&taxExclusivePrice, key)
        case "taxRate": try cursor.read(&taxRate, key)
        default: return false
        }
        return true
    }

    public func writeFields(_ json: inout JSONWriter) {
        json.memberIfPresent("descriptors", descriptors)
        json.memberIfPresent("estimatedTax", estimatedTax)
        if let items { json.array("items", items) }
        json.memberIfPresent("period", period)
        json.memberIfPresent("requestReferenceId", requestReferenceId)
        json.memberIfPresent("taxCode", taxCode)
        json.memberIfPresent("taxExclusivePrice", taxExclusivePrice)
        json.memberIfPresent("taxRate", taxRate)
    }

    public var unknownValues: [String] {
        var names = UnknownValueNames()
        names.check("period", period)
        names.check("descriptors", descriptors)
        names.check("items", items)
        return names.names
    }
}
