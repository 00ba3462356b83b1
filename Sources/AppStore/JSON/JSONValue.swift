/// Any JSON value. Objects keep their order and numbers their spelling, so a value survives a round
/// trip; `==` therefore distinguishes both. Compare `canonical()` for equal meaning.
public indirect enum JSONValue: Hashable, Sendable {
    /// Members in the order of the text; a parsed object never has duplicate keys.
    case object([JSONMember])
    case array([JSONValue])
    case string(String)
    /// The number's token as written (RFC 8259 §6).
    case number(String)
    case bool(Bool)
    case null

    /// Parses one JSON text by the rules of `JSONCursor`.
    public static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
        try bytes.withUnsafeBufferPointer { (buffer) throws(JSONError) in try parse(buffer) }
    }

    /// Parses one JSON text by the rules of `JSONCursor`.
    public static func parse(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) -> JSONValue {
        var cursor = JSONCursor(bytes)
        let value = try cursor.readValue()
        try cursor.finish()
        return value
    }

    // MARK: Access

    /// The value under `key`; nil without one, or if this is not an object.
    public subscript(key: String) -> JSONValue? { object?.first { $0.key == key }?.value }

    /// The members, if this is an object.
    public var object: [JSONMember]? {
        guard case .object(let members) = self else { return nil }
        return members
    }

    /// The elements, if this is an array.
    public var array: [JSONValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// The text, if this is a string.
    public var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The value, if this is a boolean.
    public var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    /// Whether this is `null`, as opposed to absent.
    public var isNull: Bool { self == .null }

    /// The number, if it is integral, in any spelling, and fits Int64.
    public var int64: Int64? {
        guard case .number(let token) = self else { return nil }
        let number = JSONNumber(token: token.utf8)
        return number.isIntegral ? number.rounded : nil
    }

    // MARK: Writing

    /// A canonical encoding: keys in UTF-8 byte order, escapes only where JSON requires them, one
    /// spelling of equal numbers (`1`, `1.0`, `1e0`). For comparing payloads of different
    /// serialisers.
    public func canonical() -> [UInt8] {
        var json = JSONWriter()
        writeCanonical(to: &json)
        return json.bytes
    }

    private func writeCanonical(to json: inout JSONWriter) {
        switch self {
        case .object(let members):
            let sorted = members.sorted {
                $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
            }
            json.object { json in
                for member in sorted {
                    json.key(member.key)
                    member.value.writeCanonical(to: &json)
                }
            }
        case .array(let elements):
            json.array { json in
                for element in elements { element.writeCanonical(to: &json) }
            }
        case .number(let token):
            json.raw(JSONNumber(token: token.utf8).canonical ?? Array(token.utf8))
        case .string, .bool, .null:
            write(to: &json)
        }
    }
}

extension JSONValue: JSONWritable {
    public func write(to json: inout JSONWriter) {
        switch self {
        case .object(let members):
            json.object { json in
                for member in members { json.member(member.key, member.value) }
            }
        case .array(let elements):
            json.array { json in
                for element in elements { element.write(to: &json) }
            }
        case .string(let text): json.value(text)
        case .number(let token): json.raw(token.utf8)
        case .bool(let value): json.value(value)
        case .null: json.null()
        }
    }
}
