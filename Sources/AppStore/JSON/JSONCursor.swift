/// A strict reader of one JSON text (RFC 8259): a position in bytes it does not own.
///
/// Stricter than the RFC where two readers could interpret one signed payload differently:
/// duplicate keys, bytes after the value, malformed UTF-8, lone surrogates and deep nesting are
/// errors. Decoders read values in the order of the text:
///
///     var object = try cursor.beginObject()
///     while let key = try cursor.nextKey(&object) {
///         switch key {
///         case "price": price = try cursor.int64(key)
///         default: try cursor.skipValue()
///         }
///     }
///
/// The bytes must outlive the cursor and every key it returns.
public struct JSONCursor {
    let bytes: UnsafeBufferPointer<UInt8>
    var index = 0
    /// Containers open at `index`.
    private(set) var depth = 0
    /// How many more values may be skipped.
    var valuesLeft: Int
    /// Whether a date outside the years 1 to 9999 is read as the nearest inside instead of
    /// rejected.
    let clampsDates: Bool

    /// Starts before the first byte of `bytes`, which must stay in place.
    ///
    /// - `skipping`: most values that `skipValue` may skip in input that is not yet
    ///   authenticated; one more is `tooManyValues`.
    /// - `clampsDates`: for stored input accepted by earlier releases.
    public init(
        _ bytes: UnsafeBufferPointer<UInt8>, skipping: Int = .max, clampsDates: Bool = false
    ) {
        self.bytes = bytes
        valuesLeft = skipping
        self.clampsDates = clampsDates
    }

    /// State of reading an object: the keys so far.
    public struct ObjectState {
        var seen = JSONSeenKeys()
        var isFirst = true
    }

    /// State of reading an array.
    public struct ArrayState {
        var isFirst = true
    }

    // MARK: Structure

    /// Checks that only white space remains.
    public mutating func finish() throws(JSONError) {
        skipWhitespace()
        guard index == bytes.count else { throw JSONError(.trailingBytes, offset: index) }
    }

    /// Enters an object; call `nextKey` until it returns nil.
    public mutating func beginObject() throws(JSONError) -> ObjectState {
        skipWhitespace()
        guard peek() == UInt8(ascii: "{") else { throw mismatch(nil) }
        try open()
        return ObjectState()
    }

    /// The next key of the object, positioned before its value, or nil after the last one.
    public mutating func nextKey(_ object: inout ObjectState) throws(JSONError) -> JSONKey? {
        skipWhitespace()
        if peek() == UInt8(ascii: "}") {
            close()
            return nil
        }
        if !object.isFirst {
            try expect(UInt8(ascii: ","))
            skipWhitespace()
        }
        object.isFirst = false
        let start = index
        let key = try readKey()
        guard object.seen.insert(key) else { throw JSONError(.duplicateKey, offset: start) }
        skipWhitespace()
        try expect(UInt8(ascii: ":"))
        skipWhitespace()
        return key
    }

    /// Enters an array; call `nextElement` until it returns false.
    public mutating func beginArray() throws(JSONError) -> ArrayState {
        skipWhitespace()
        guard peek() == UInt8(ascii: "[") else { throw mismatch(nil) }
        try open()
        return ArrayState()
    }

    /// True when positioned before another element; false after the array's end.
    public mutating func nextElement(_ array: inout ArrayState) throws(JSONError) -> Bool {
        skipWhitespace()
        if peek() == UInt8(ascii: "]") {
            close()
            return false
        }
        if !array.isFirst {
            try expect(UInt8(ascii: ","))
            skipWhitespace()
            // A comma must be followed by a value.
            if peek() == UInt8(ascii: "]") { throw JSONError(.malformed, offset: index) }
        }
        array.isFirst = false
        return true
    }

    /// Skips `null` and returns true if it is the next value.
    @inline(__always)
    public mutating func readNull() throws(JSONError) -> Bool {
        guard peek() == UInt8(ascii: "n") else { return false }
        try expectLiteral("null")
        return true
    }

    /// Returns true if the whole text is `null`; otherwise does not move.
    public mutating func readLoneNull() throws(JSONError) -> Bool {
        skipWhitespace()
        guard try readNull() else { return false }
        try finish()
        return true
    }

    private mutating func open() throws(JSONError) {
        guard depth < JSONLimits.depth else { throw JSONError(.tooDeep, offset: index) }
        depth += 1
        index += 1
    }

    private mutating func close() {
        depth -= 1
        index += 1
    }
}
