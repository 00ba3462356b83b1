/// Display texts of a purchase as a whole (Advanced Commerce API, `descriptors`).
public struct AdvancedCommerceDescriptors: WireObject {
    /// Description shown to the customer.
    public var description: String?
    /// Name shown to the customer.
    public var displayName: String?

    public var unknown: [JSONMember] = []

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("description", &description)
        visitor.visit("displayName", &displayName)
    }
}
