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

    public var unknown: [JSONMember] = []

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("period", &period)
        visitor.visit("periodCount", &periodCount)
        visitor.visit("price", &price)
        visitor.visit("reason", &reason)
    }
}
