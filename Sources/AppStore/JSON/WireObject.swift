/// An object of Apple's wire format: known fields by name, everything else kept as it came.
///
/// A field that is `null` is absent. An unknown key is kept in `unknown`; an unknown enumerated
/// value is kept by its `Raw`. Neither is an error: values reach the wire before any library
/// knows them. A known key with a value of another JSON type is one (`JSONError.wrongType`).
public protocol WireObject: Hashable, Sendable, JSONWritable {
    init()

    /// Members under keys this version does not know, in their order.
    var unknown: UnknownMembers { get set }

    /// Names of the fields that hold an enumerated value this version does not know; those of a
    /// nested object have its name before them (`data.status`).
    var unknownValues: [String] { get }

    /// Reads the value after `key` when the key is known; false, without moving, when it is not.
    mutating func readField(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool

    /// Writes the fields that are present, in Apple's documented order.
    func writeFields(_ json: inout JSONWriter)
}

extension WireObject {
    public var unknownValues: [String] { [] }

    /// Reads the object the cursor stands before.
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

    /// Nil for a text that is literally `null`: Apple has signed such renewal infos.
    @inlinable
    public static func decodeUnlessNull(
        _ bytes: UnsafeBufferPointer<UInt8>
    ) throws(JSONError) -> Self? {
        var cursor = JSONCursor(bytes)
        if try cursor.readLoneNull() { return nil }
        return try decode(bytes)
    }

    /// Nil for a text that is literally `null`: Apple has signed such renewal infos.
    @inlinable
    public static func decodeUnlessNull(_ bytes: [UInt8]) throws(JSONError) -> Self? {
        try bytes.withBytes { (buffer) throws(JSONError) in try decodeUnlessNull(buffer) }
    }

    /// As `decode`, of bytes that a log holds: dates that earlier releases took in, outside the
    /// years 1 to 9999, are the nearest inside.
    public static func decode(stored bytes: [UInt8]) throws(JSONError) -> Self {
        try bytes.withBytes { (buffer) throws(JSONError) in
            var cursor = JSONCursor(buffer, clampsDates: true)
            let result = try read(&cursor)
            try cursor.finish()
            return result
        }
    }

    /// As `decodeUnlessNull`, of bytes that a log holds; see `decode(stored:)`.
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
