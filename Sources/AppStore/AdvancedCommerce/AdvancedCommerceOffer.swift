/// A discount on one item (Advanced Commerce API, `offer`).
public struct AdvancedCommerceOffer: WireObject {
    /// ISO 8601 period, e.g. `P1M`.
    public var period: String?
    /// Number of periods of the offer.
    public var periodCount: Int64?
    /// Milliunits of the transaction's currency.
    public var price: Int64?
    /// Why the offer was made.
    public var reason: Raw<AdvancedCommerceOfferReason>?

    /// Members with unknown keys, in order.
    public var unknown = UnknownMembers()

    /// All fields absent.
    public init() {}

    public mutating func readField(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool {
        switch key {
        case "period": try cursor.read(&period, key)
        case "periodCount": try cursor.read(&periodCount, key)
        case "price": try cursor.read(&price, key)
        case "reason": try cursor.read(&reason, key)
        default: return false
        }
        return true
    }

    public func writeFields(_ json: inout JSONWriter) {
        json.memberIfPresent("period", period)
        json.memberIfPresent("periodCount", periodCount)
        json.memberIfPresent("price", price)
        json.memberIfPresent("reason", reason)
    }

    public var unknownValues: [String] {
        var names = UnknownValueNames()
        names.check("reason", reason)
        return names.names
    }
}
