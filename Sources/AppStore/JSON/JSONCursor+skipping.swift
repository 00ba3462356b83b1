extension JSONCursor {
    /// Skips one value by the same rules as `readValue`, without storing it: a large input can
    /// consist of many tiny values.
    public mutating func skipValue() throws(JSONError) {
        skipWhitespace()
        guard valuesLeft > 0 else { throw JSONError(.tooManyValues, offset: index) }
        valuesLeft -= 1
        switch peek() {
        case UInt8(ascii: "{"):
            var object = try beginObject()
            while try nextKey(&object) != nil { try skipValue() }
        case UInt8(ascii: "["):
            var array = try beginArray()
            while try nextElement(&array) { try skipValue() }
        case UInt8(ascii: "\""):
            let text = try scanText()
            if text.hasEscapes { _ = try unescape(text) }
        case UInt8(ascii: "t"): try expectLiteral("true")
        case UInt8(ascii: "f"): try expectLiteral("false")
        case UInt8(ascii: "n"): try expectLiteral("null")
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): _ = try scanNumber()
        default: throw unexpected()
        }
    }

    /// Whether an object starts here.
    public mutating func isAtObject() -> Bool {
        skipWhitespace()
        return peek() == UInt8(ascii: "{")
    }
}
