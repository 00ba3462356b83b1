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

    public var unknown: [JSONMember] = []

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("refundAmount", &refundAmount)
        visitor.visit("refundDate", &refundDate)
        visitor.visit("refundReason", &refundReason)
        visitor.visit("refundType", &refundType)
    }
}
