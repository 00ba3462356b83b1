/// A value with one JSON form in this project's output.
public protocol JSONWritable {
    /// Writes exactly one value.
    func write(to json: inout JSONWriter)
}

extension JSONWritable {
    /// The value as JSON without white space.
    public func encoded() -> [UInt8] {
        var json = JSONWriter()
        write(to: &json)
        return json.bytes
    }
}

/// A value whose JSON form is an object.
public protocol JSONObjectWritable: JSONWritable {
    /// Writes the members of the object.
    func writeMembers(to json: inout JSONWriter)
}

extension JSONObjectWritable {
    @inlinable
    public func write(to json: inout JSONWriter) {
        json.object { json in writeMembers(to: &json) }
    }
}

extension String: JSONWritable {
    public func write(to json: inout JSONWriter) { json.writeString(self) }
}

extension Int64: JSONWritable {
    public func write(to json: inout JSONWriter) { json.writeInteger(self) }
}

extension Int: JSONWritable {
    public func write(to json: inout JSONWriter) { json.writeInteger(Int64(self)) }
}

extension Bool: JSONWritable {
    public func write(to json: inout JSONWriter) { json.raw(self ? "true" : "false") }
}

/// The shortest digits that identify the value; `null` for values JSON cannot represent (NaN,
/// infinities). For ratios only: time and money are integers.
extension Double: JSONWritable {
    public func write(to json: inout JSONWriter) {
        guard isFinite else { return json.null() }
        json.raw(description.utf8)
    }
}

/// RFC 3339, as in all of this project's output. Apple's payloads have milliseconds instead.
extension Timestamp: JSONWritable {
    public func write(to json: inout JSONWriter) { json.writeTimestamp(self) }
}

extension Identifier: JSONWritable {
    public func write(to json: inout JSONWriter) { json.writeString(rawValue) }
}

/// The raw value, known to this version or not.
extension Raw: JSONWritable where Value.RawValue: JSONWritable {
    public func write(to json: inout JSONWriter) { rawValue.write(to: &json) }
}

/// Lower-case hexadecimal.
extension Digest: JSONWritable {
    public func write(to json: inout JSONWriter) { json.writeDigest(self) }
}
