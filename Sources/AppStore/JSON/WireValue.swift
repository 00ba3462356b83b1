/// A type of the fields of a `WireObject`.
public protocol WireValue {
    /// Reads the value at the cursor; `key` names the field in errors.
    static func read(_ cursor: inout JSONCursor, _ key: JSONKey) throws(JSONError) -> Self

    /// Writes one value as Apple does.
    func writeField(_ json: inout JSONWriter)

    /// Appends `field` if the value is enumerated and unknown to this version, or the names of such
    /// fields inside, prefixed with `field`.
    func appendUnknownValues(_ field: StaticString, to names: inout [String])
}

extension WireValue {
    @inline(__always)
    public func appendUnknownValues(_ field: StaticString, to names: inout [String]) {}
}

extension WireValue where Self: JSONWritable {
    public func writeField(_ json: inout JSONWriter) { write(to: &json) }
}

extension String: WireValue {
    public static func read(
        _ cursor: inout JSONCursor, _ key: JSONKey
    ) throws(JSONError) -> String { try cursor.string(key) }
}

extension Bool: WireValue {
    public static func read(
        _ cursor: inout JSONCursor, _ key: JSONKey
    ) throws(JSONError) -> Bool { try cursor.bool(key) }
}

extension Int64: WireValue {
    public static func read(
        _ cursor: inout JSONCursor, _ key: JSONKey
    ) throws(JSONError) -> Int64 { try cursor.int64(key) }
}

extension Timestamp: WireValue {
    public static func read(
        _ cursor: inout JSONCursor, _ key: JSONKey
    ) throws(JSONError) -> Timestamp { try cursor.timestamp(key) }

    public func writeField(_ json: inout JSONWriter) { json.writeInteger(milliseconds) }
}

/// A string on the wire, even if it looks numeric.
extension Identifier: WireValue {
    public static func read(
        _ cursor: inout JSONCursor, _ key: JSONKey
    ) throws(JSONError) -> Identifier { Identifier(try cursor.string(key)) }
}

/// An enumerated value, known or not.
extension Raw: WireValue where Value.RawValue: WireValue & JSONWritable {
    public static func read(
        _ cursor: inout JSONCursor, _ key: JSONKey
    ) throws(JSONError) -> Raw { Raw(rawValue: try Value.RawValue.read(&cursor, key)) }

    @inline(__always)
    public func appendUnknownValues(_ field: StaticString, to names: inout [String]) {
        if value == nil { names.append("\(field)") }
    }
}

extension Array: WireValue where Element: WireValue {
    public static func read(
        _ cursor: inout JSONCursor, _ key: JSONKey
    ) throws(JSONError) -> [Element] {
        guard cursor.peek() == UInt8(ascii: "[") else { throw cursor.mismatch(key) }
        var elements: [Element] = []
        var array = try cursor.beginArray()
        while try cursor.nextElement(&array) { elements.append(try Element.read(&cursor, key)) }
        return elements
    }

    public func writeField(_ json: inout JSONWriter) {
        json.array { json in
            for element in self { element.writeField(&json) }
        }
    }

    /// Does not distinguish the elements; a name appears once.
    public func appendUnknownValues(_ field: StaticString, to names: inout [String]) {
        var found: [String] = []
        for element in self { element.appendUnknownValues(field, to: &found) }
        for name in found where !names.contains(name) { names.append(name) }
    }
}

/// A map whose keys no type lists; written in the order of the keys.
extension Dictionary: WireValue where Key == String, Value: WireValue {
    public static func read(
        _ cursor: inout JSONCursor, _ key: JSONKey
    ) throws(JSONError) -> [String: Value] {
        guard cursor.peek() == UInt8(ascii: "{") else { throw cursor.mismatch(key) }
        var values: [String: Value] = [:]
        var object = try cursor.beginObject()
        while let name = try cursor.nextKey(&object) {
            values[name.string] = try Value.read(&cursor, name)
        }
        return values
    }

    public func writeField(_ json: inout JSONWriter) {
        json.object { json in
            for (key, value) in sorted(by: { $0.key < $1.key }) {
                json.key(key)
                value.writeField(&json)
            }
        }
    }
}
