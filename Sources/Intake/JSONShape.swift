import AppStore

/// The JSON type of a text before parsing.
enum JSONShape {
    /// Whether the bytes are one complete JSON object.
    static func isObject(_ bytes: [UInt8]) -> Bool {
        guard bytes.first == UInt8(ascii: "{") else { return false }
        return (try? JSONValue.parse(bytes)) != nil
    }
}
