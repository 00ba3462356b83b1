/// An object of Apple's wire format: known fields by name, everything else unchanged.
///
/// A `null` field is absent, and fractions of a millisecond are cut from dates: encoding restores
/// neither, so keep the bytes that Apple signed, as the log does.
///
/// An unknown key is stored in `unknown`; an unknown enumerated value is stored in its `Raw`.
/// Neither is an error: values reach the wire before any library knows them. A known key with a
/// value of another JSON type is an error (`JSONError.wrongType`).
public protocol WireObject: Hashable, Sendable, JSONWritable, WireValue {
    /// All fields absent.
    init()

    /// Members with keys unknown to this version, in the order of the input; encoding keeps them.
    var unknown: [JSONMember] { get set }

    /// Visits every field with its key, in Apple's documented order.
    mutating func visitFields(_ visitor: inout some FieldVisitor)

    // Implemented below. They are requirements so that the compiler specializes them for each type.

    /// Names of fields with enumerated values unknown to this version; those of nested objects
    /// follow, prefixed with the object's name (`data.status`).
    func unknownValueNames() -> [String]

    /// Reads the object at the cursor.
    static func read(_ cursor: inout JSONCursor) throws(JSONError) -> Self
}

extension WireObject {
    /// Calls the requirement, so that other modules use the code specialised for the type: the
    /// unspecialised code of this extension took a fifth of a rebuild from the log.
    @inlinable
    public var unknownValues: [String] { unknownValueNames() }

    public func unknownValueNames() -> [String] {
        var visitor = UnknownValueNames()
        inspectFields(&visitor)
        let names = visitor.names
        if names.isEmpty { return names }
        return names.filter { !$0.contains(".") } + names.filter { $0.contains(".") }
    }

    /// Visits the fields with a visitor that does not change them. The cast avoids a copy of the
    /// object, which would retain every string.
    @inline(__always)
    private func inspectFields(_ visitor: inout some FieldVisitor) {
        withUnsafePointer(to: self) {
            UnsafeMutablePointer(mutating: $0).pointee.visitFields(&visitor)
        }
    }

    public func appendUnknownValues(_ field: StaticString, to names: inout [String]) {
        for name in unknownValueNames() { names.append("\(field).\(name)") }
    }

    public static func read(
        _ cursor: inout JSONCursor, _ key: JSONKey
    ) throws(JSONError) -> Self {
        guard cursor.peek() == UInt8(ascii: "{") else { throw cursor.mismatch(key) }
        return try read(&cursor)
    }

    /// Each round reads the keys that come in the order of the fields.
    public static func read(_ cursor: inout JSONCursor) throws(JSONError) -> Self {
        var result = Self()
        var reader = try FieldReader(cursor)
        while let key = reader.key {
            let start = reader.cursor.index
            result.visitFields(&reader)
            if let failure = reader.failure { throw failure }
            if reader.cursor.index == start { result.unknown.append(try reader.readUnknown(key)) }
        }
        cursor = reader.cursor
        return result
    }

    /// Decodes a JSON text that is one object; anything else is `wrongType`.
    ///
    /// - `clampsDates`: for bytes from a log: dates accepted by earlier releases outside the years
    ///   1 to 9999 are read as the nearest inside.
    public static func decode(
        _ bytes: UnsafeBufferPointer<UInt8>, clampsDates: Bool = false
    ) throws(JSONError) -> Self {
        var cursor = JSONCursor(bytes, clampsDates: clampsDates)
        let result = try read(&cursor)
        try cursor.finish()
        return result
    }

    /// Decodes a JSON text that is one object; anything else is `wrongType`.
    public static func decode(
        _ bytes: [UInt8], clampsDates: Bool = false
    ) throws(JSONError) -> Self {
        try bytes.withUnsafeBufferPointer { (buffer) throws(JSONError) in
            try decode(buffer, clampsDates: clampsDates)
        }
    }

    /// Nil for the literal `null`: Apple has signed such renewal infos.
    public static func decodeUnlessNull(
        _ bytes: [UInt8], clampsDates: Bool = false
    ) throws(JSONError) -> Self? {
        let isNull = try bytes.withUnsafeBufferPointer { (buffer) throws(JSONError) in
            var cursor = JSONCursor(buffer)
            return try cursor.readLoneNull()
        }
        return isNull ? nil : try decode(bytes, clampsDates: clampsDates)
    }
}

extension WireObject {
    /// Known fields in Apple's documented order, then the unknown members. Equal values are written
    /// as equal bytes.
    public func write(to json: inout JSONWriter) {
        json.object { json in
            inspectFields(&json)
            for member in unknown { json.member(member.key, member.value) }
        }
    }
}
