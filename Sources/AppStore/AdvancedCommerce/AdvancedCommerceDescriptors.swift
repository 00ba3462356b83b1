/// Display texts of a purchase as a whole (Advanced Commerce API, `descriptors`).
public struct AdvancedCommerceDescriptors: WireObject {
    /// Description shown to the customer.
    public var description: String?
    /// Name shown to the customer.
    public var displayName: String?

    /// Members with unknown keys, in order.
    public var unknown = UnknownMembers()

    /// All fields absent.
    public init() {}

    public mutating func readField(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool {
        switch key {
        case "description": try cursor.read(&description, key)
        case "displayName": try cursor.read(&displayName, key)
        default: return false
        }
        return true
    }

    public func writeFields(_ json: inout JSONWriter) {
        json.memberIfPresent("description", description)
        json.memberIfPresent("displayName", displayName)
    }
}
