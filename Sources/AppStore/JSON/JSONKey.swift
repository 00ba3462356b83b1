/// A key that was just read. Points into the text (or holds its own bytes if it had escapes), so it
/// is valid only as long as the text; a key without escapes needs no allocation.
public struct JSONKey {
    let start: UnsafePointer<UInt8>
    let count: Int
    /// The key's bytes if the text has escapes.
    let unescaped: [UInt8]?

    /// The key as a String, for stored keys and errors about known fields.
    public var string: String {
        withBytes { String(decoding: $0, as: UTF8.self) }
    }

    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        guard let unescaped else {
            return body(UnsafeBufferPointer(start: start, count: count))
        }
        return unescaped.withUnsafeBufferPointer(body)
    }

    /// Allows `switch key { case "transactionId": … }` at the cost of a length comparison for most
    /// keys.
    @inline(__always)
    public static func ~= (pattern: StaticString, key: JSONKey) -> Bool {
        guard key.unescaped == nil else { return key.matchesUnescaped(pattern) }
        return key.count == pattern.utf8CodeUnitCount
            && Bytes.equal(key.start, pattern.utf8Start, count: key.count)
    }

    private func matchesUnescaped(_ pattern: StaticString) -> Bool {
        withBytes { bytes in
            guard bytes.count == pattern.utf8CodeUnitCount else { return false }
            guard let first = bytes.baseAddress else { return true }
            return Bytes.equal(first, pattern.utf8Start, count: bytes.count)
        }
    }
}
