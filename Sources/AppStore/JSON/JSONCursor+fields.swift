/// Reads one known field. `null` leaves the field absent, as in Apple's own libraries.
extension JSONCursor {
    /// A string.
    public mutating func read(_ field: inout String?, _ key: JSONKey) throws(JSONError) {
        if try readNull() { return }
        field = try string(key)
    }

    /// `true` or `false`.
    public mutating func read(_ field: inout Bool?, _ key: JSONKey) throws(JSONError) {
        if try readNull() { return }
        field = try bool(key)
    }

    /// An integer; see `int64(_:)`.
    public mutating func read(_ field: inout Int64?, _ key: JSONKey) throws(JSONError) {
        if try readNull() { return }
        field = try int64(key)
    }

    /// A date; see `timestamp(_:)`.
    public mutating func read(_ field: inout Timestamp?, _ key: JSONKey) throws(JSONError) {
        if try readNull() { return }
        field = try timestamp(key)
    }

    /// An identifier: a string on the wire, even if it looks numeric.
    public mutating func read<Tag>(
        _ field: inout Identifier<Tag>?, _ key: JSONKey
    ) throws(JSONError) {
        if try readNull() { return }
        field = Identifier(try string(key))
    }

    /// An enumerated string, known or not.
    public mutating func read<Value: RawRepresentable & Sendable>(
        _ field: inout Raw<Value>?, _ key: JSONKey
    ) throws(JSONError) where Value.RawValue == String {
        if try readNull() { return }
        field = Raw(rawValue: try string(key))
    }

    /// An enumerated integer, known or not.
    public mutating func read<Value: RawRepresentable & Sendable>(
        _ field: inout Raw<Value>?, _ key: JSONKey
    ) throws(JSONError) where Value.RawValue == Int64 {
        if try readNull() { return }
        field = Raw(rawValue: try int64(key))
    }

    /// A list of strings.
    public mutating func read(_ field: inout [String]?, _ key: JSONKey) throws(JSONError) {
        if try readNull() { return }
        guard peek() == UInt8(ascii: "[") else { throw mismatch(key) }
        var elements: [String] = []
        var array = try beginArray()
        while try nextElement(&array) { elements.append(try string(key)) }
        field = elements
    }

    /// A nested object.
    public mutating func read<Object: WireObject>(
        _ field: inout Object?, _ key: JSONKey
    ) throws(JSONError) {
        if try readNull() { return }
        guard peek() == UInt8(ascii: "{") else { throw mismatch(key) }
        field = try Object.read(&self)
    }

    /// A list of objects.
    public mutating func read<Object: WireObject>(
        _ field: inout [Object]?, _ key: JSONKey
    ) throws(JSONError) {
        if try readNull() { return }
        guard peek() == UInt8(ascii: "[") else { throw mismatch(key) }
        var elements: [Object] = []
        var array = try beginArray()
        while try nextElement(&array) {
            guard peek() == UInt8(ascii: "{") else { throw mismatch(key) }
            elements.append(try Object.read(&self))
        }
        field = elements
    }
}
