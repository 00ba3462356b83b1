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

    public var unknown: [JSONMember] = []

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("consistencyToken", &consistencyToken)
        visitor.visit("descriptors", &descriptors)
        visitor.visit("items", &items)
        visitor.visit("period", &period)
        visitor.visit("requestReferenceId", &requestReferenceId)
        visitor.visit("taxCode", &taxCode)
    }
}
