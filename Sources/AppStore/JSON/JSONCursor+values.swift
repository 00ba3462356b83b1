extension JSONCursor {
    /// Any value, as a tree. Nesting is bounded by `JSONLimits.depth`, so the recursion is too.
    public mutating func readValue() throws(JSONError) -> JSONValue {
        skipWhitespace()
        switch peek() {
        case UInt8(ascii: "{"): return .object(try readMembers())
        case UInt8(ascii: "["): return .array(try readElements())
        case UInt8(ascii: "\""): return .string(try readString())
        case UInt8(ascii: "t"):
            try expectLiteral("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try expectLiteral("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try expectLiteral("null")
            return .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            let range = try scanNumber()
            return .number(String(decoding: token(range), as: UTF8.self))
        default:
            throw unexpected()
        }
    }

    /// The string at the position; for any other value, skips it and returns nil.
    public mutating func readText() throws(JSONError) -> String? {
        skipWhitespace()
        guard peek() == UInt8(ascii: "\"") else {
            try skipValue()
            return nil
        }
        return try readString()
    }

    /// A string, referenced in the input or copied.
    public enum PlacedText: Sendable {
        /// Its range, without quotes, if written without escapes.
        case inPlace(Range<Int>)
        /// Its unescaped bytes.
        case unescaped([UInt8])
    }

    /// Like `readText`, for callers that own the bytes and need no copy.
    public mutating func readTextInPlace() throws(JSONError) -> PlacedText? {
        skipWhitespace()
        guard peek() == UInt8(ascii: "\"") else {
            try skipValue()
            return nil
        }
        let text = try scanText()
        return text.hasEscapes ? .unescaped(try unescape(text)) : .inPlace(text.start..<text.end)
    }

    /// The member whose key was just read; decoders store unknown members with it.
    public mutating func member(_ key: JSONKey) throws(JSONError) -> JSONMember {
        JSONMember(key: key.string, value: try readValue())
    }

    private mutating func readMembers() throws(JSONError) -> [JSONMember] {
        var members: [JSONMember] = []
        var object = try beginObject()
        while let key = try nextKey(&object) {
            members.append(try member(key))
        }
        return members
    }

    private mutating func readElements() throws(JSONError) -> [JSONValue] {
        var elements: [JSONValue] = []
        var array = try beginArray()
        while try nextElement(&array) {
            elements.append(try readValue())
        }
        return elements
    }

    // MARK: Typed values; `key` names the field in errors

    /// A string, or `wrongType`.
    public mutating func string(_ key: JSONKey) throws(JSONError) -> String {
        guard peek() == UInt8(ascii: "\"") else { throw mismatch(key) }
        return try readString()
    }

    /// `true` or `false`, or `wrongType`.
    public mutating func bool(_ key: JSONKey) throws(JSONError) -> Bool {
        switch peek() {
        case UInt8(ascii: "t"):
            try expectLiteral("true")
            return true
        case UInt8(ascii: "f"):
            try expectLiteral("false")
            return false
        default:
            throw mismatch(key)
        }
    }

    /// An integer. Integral numbers in any spelling are accepted (`5.0`, `5e0`), because Xcode's
    /// payloads pass through doubles. A fraction is `wrongType`, a value outside Int64
    /// `numberOutOfRange`.
    @inline(__always)
    public mutating func int64(_ key: JSONKey) throws(JSONError) -> Int64 {
        if let value = plainInteger() { return value }
        return try decimal(key, integralOnly: true)
    }

    /// A date in milliseconds since 1970. Xcode writes fractions of a millisecond, which are
    /// rounded to nearest, ties away from zero. Outside the years 1 to 9999 it is
    /// `numberOutOfRange`.
    @inline(__always)
    public mutating func timestamp(_ key: JSONKey) throws(JSONError) -> Timestamp {
        let start = index
        let moment: Timestamp
        if let value = plainInteger() {
            moment = Timestamp(milliseconds: value)
        } else {
            moment = Timestamp(milliseconds: try decimal(key, integralOnly: false))
        }
        if moment.isInRange { return moment }
        guard clampsDates else {
            throw JSONError(.numberOutOfRange, offset: start, field: key.string)
        }
        return moment.clamped
    }

    /// Fast path for nearly all numbers on the wire: up to 18 digits and nothing else. Nil, without
    /// moving, for any other.
    @inline(__always)
    private mutating func plainInteger() -> Int64? {
        var place = index
        let isNegative = peek() == UInt8(ascii: "-")
        if isNegative { place += 1 }
        let start = place
        var value: Int64 = 0
        while place < bytes.count {
            let digit = bytes[place] &- UInt8(ascii: "0")
            guard digit <= 9 else { break }
            // The nineteenth digit could overflow.
            guard place - start < 18 else { return nil }
            value = value &* 10 &+ Int64(digit)
            place += 1
        }
        let count = place - start
        guard count > 0, count == 1 || bytes[start] != UInt8(ascii: "0") else { return nil }
        if place < bytes.count {
            let next = bytes[place]
            if next == UInt8(ascii: ".") || next | 0x20 == UInt8(ascii: "e") { return nil }
        }
        index = place
        return isNegative ? -value : value
    }

    private mutating func decimal(_ key: JSONKey, integralOnly: Bool) throws(JSONError) -> Int64 {
        let start = index
        switch peek() {
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): break
        default: throw mismatch(key)
        }
        let number = JSONNumber(token: token(try scanNumber()))
        guard number.isIntegral || !integralOnly else {
            throw JSONError(.wrongType, offset: start, field: key.string)
        }
        guard let value = number.rounded else {
            throw JSONError(.numberOutOfRange, offset: start, field: key.string)
        }
        return value
    }
}
