/// One key and its value, in the order of the text.
public struct JSONMember: Hashable, Sendable {
    /// The key, unescaped.
    public var key: String
    /// Its value.
    public var value: JSONValue

    public init(key: String, value: JSONValue) {
        self.key = key
        self.value = value
    }
}
