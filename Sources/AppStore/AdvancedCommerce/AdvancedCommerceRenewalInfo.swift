/// Advanced Commerce part of a renewal info (App Store Server API, `advancedCommerceInfo`).
public struct AdvancedCommerceRenewalInfo: WireObject {
    /// Sent back with changes, so that they apply to the state for which they were made.
    public var consistencyToken: String?
    /// Display texts of the purchase as a whole.
    public var descriptors: AdvancedCommerceDescriptors?
    /// Items of the purchase.
    public var items: [AdvancedCommerceRenewalItem]?
    /// Length of one subscription period.
    public var period: Raw<AdvancedCommercePeriod>?
    /// The developer's identifier of the request that caused this.
    public var requestReferenceId: String?
    /// The developer's tax category of the purchase.
    public var taxCode: String?

    /// Members with unknown keys, in order.
    public var unknown = UnknownMembers()

    /// All fields absent.
    public init() {}

    public mutating func readField(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool {
        switch key {
        case "consistencyToken": try cursor.read(&consistencyToken, key)
        case "descriptors": try cursor.read(&descriptors, key)
        case "items": try cursor.read(&items, key)
        case "period": try cursor.read(&period, key)
        case "requestReferenceId": try cursor.read(&requestReferenceId, key)
        case "taxCode": try cursor.read(&taxCode, key)
        default: return false
        }
        return true
    }

    public func writeFields(_ json: inout JSONWriter) {
        json.memberIfPresent("consistencyToken", consistencyToken)
        json.memberIfPresent("descriptors", descriptors)
        if let items { json.array("items", items) }
        json.memberIfPresent("period", period)
        json.memberIfPresent("requestReferenceId", requestReferenceId)
        json.memberIfPresent("taxCode", taxCode)
    }

    public var unknownValues: [String] {
        var names = UnknownValueNames()
        names.check("period", period)
        names.check("descriptors", descriptors)
        names.check("items", items)
        return names.names
    }
}
