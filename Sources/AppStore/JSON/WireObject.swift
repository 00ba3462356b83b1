/// An object of Apple's wire format: known fields by name, everything else unchanged.
///
/// A `null` field is absent. An unknown key is stored in `unknown`; an unknown enumerated value is
/// stored in its `Raw`. Neither is an error: values reach the wire before any library knows them. A
/// known key with a value of another JSON type is an error (`JSONError.wrongType`).
public protocol WireObject: Hashable, Sendable, JSONWritable {
    init()

    /// Members with unknown keys, in order.
    var unknown: UnknownMembers { get set }

    /// Names of fields with enumerated values unknown to this version; those of a nested object are
    /// prefixed with its name (`data.status`).
    var unknownValues: [String] { get }

    /// Reads the value after `key` if the key is known; otherwise returns false without moving.
    mutating func readField(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool

    /// Writes the fields that are present, in Apple's documented order.
    func writeFields(_ json: inout JSONWriter)
}

extension WireObject {
    public var unknownValues: [String] { [] }

    /// Reads the object at the cursor.
    @inlinable
    public static func read(_ cursor: inout JSONCursor) throws(JSONError) -> Self {
        var result = Self()
        var object = try cursor.beginObject()
        while let key = try cursor.nextKey(&object) {
            if try result.readField(key, &cursor) { continue }
            result.unknown.append(try cursor.member(key))
        }
        return result
    }

    /// Decodes a JSON text that is one object; anything else is `wrongType`.
    @inlinable
    public static func decode(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) -> Self {
        var cursor = JSONCursor(bytes)
        let result = try read(&cursor)
        try cursor.finish()
        return result
    }

    /// Decodes a JSON text that is one object; anything else is `wrongType`.
    @inlinable
    public static func decode(_ bytes: [UInt8]) throws(JSONError) -> Self {
        try bytes.withBytes { (buffer) throws(JSONError) in try decode(buffer) }
    }

    /// Nil for the literal `null`: Apple has signed such renewal infos.
    @inlinable
    public static func decodeUnlessNull(
        _ bytes: UnsafeBufferPointer<UInt8>
    ) throws(JSONError) -> Self? {
        var cursor = JSONCursor(bytes)
        if try cursor.readLoneNull() { return nil }
        return try decode(bytes)
    }

    /// Nil for the literal `null`: Apple has signed such renewal infos.
    @inlinable
    public static func decodeUnlessNull(_ bytes: [UInt8]) throws(JSONError) -> Self? {
        try bytes.withBytes { (buffer) throws(JSONError) in try decodeUnlessNull(buffer) }
    }

    /// Like `decode`, for bytes from a log: dates accepted by earlier releases outside the years 1
    /// to 9999 are read as the nearest inside.
    public static func decode(stored bytes: [UInt8]) throws(JSONError) -> Self {
        try bytes.withBytes { (buffer) throws(JSONError) in
            var cursor = JSONCursor(buffer, clampsDates: true)
            let result = try read(&cursor)
            try cursor.finish()
            return result
        }
    }

    /// Like `decodeUnlessNull`, for bytes from a log; see `decode(stored:)`.
    public static func decodeUnlessNull(stored bytes: [UInt8]) throws(JSONError) -> Self? {
        let isNull = try bytes.withBytes { (buffer) throws(JSONError) in
            var cursor = JSONCursor(buffer)
            return try cursor.readLoneNull()
        }
        return isNull ? nil : try decode(stored: bytes)
    }

    /// The object as JSON: known fields in Apple's documented order, then the unknown members.
    /// Equal values encode to equal bytes.
    public func encoded() -> [UInt8] {
        var json = JSONWriter()
        write(to: &json)
        return json.bytes
    }
}

extension WireObject {
    public func write(to json: inout JSONWriter) {
        json.object { json in
            writeFields(&json)
            for member in unknown.members { json.member(member.key, member.value) }
        }
    }
}
