/// Names of a purchase as a whole (Advanced Commerce API, `descriptors`).
public struct AdvancedCommerceDescriptors: WireObject {
    /// What the customer reads about it.
    public var description: String?
    /// Name the customer reads.
    public var displayName: String?

    /// Members under keys this version does not know, in their order.
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
