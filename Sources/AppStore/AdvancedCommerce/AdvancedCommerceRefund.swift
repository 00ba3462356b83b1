/// A refund of one item (Advanced Commerce API, `refunds`).
public struct AdvancedCommerceRefund: WireObject {
    /// Milliunits of the transaction's currency.
    public var refundAmount: Int64?
    /// When the refund was made.
    public var refundDate: Timestamp?
    /// Why it was made.
    public var refundReason: Raw<AdvancedCommerceRefundReason>?
    /// Whether all or part of the price was refunded.
    public var refundType: Raw<AdvancedCommerceRefundType>?

    /// Members with unknown keys, in order.
    public var unknown = UnknownMembers()

    /// All fields absent.
    public init() {}

    public mutating func readField(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool {
        switch key {
        case "refundAmount": try cursor.read(&refundAmount, key)
        case "refundDate": try cursor.read(&refundDate, key)
        case "refundReason": try cursor.read(&refundReason, key)
        case "refundType": try cursor.read(&refundType, key)
        default: return false
        }
        return true
    }

    public func writeFields(_ json: inout JSONWriter) {
        json.memberIfPresent("refundAmount", refundAmount)
        json.memberIfPresent("refundDate", refundDate?.milliseconds)
        json.memberIfPresent("refundReason", refundReason)
        json.memberIfPresent("refundType", refundType)
    }

    public var unknownValues: [String] {
        var names = UnknownValueNames()
        names.check("refundReason", refundReason)
        names.check("refundType", refundType)
        return names.names
    }
}
