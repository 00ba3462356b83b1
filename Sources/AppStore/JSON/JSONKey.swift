/// A key just read. It points into the text (or holds its own bytes, when it had escapes), so it is
/// valid only while the text is; nothing is allocated for a key without escapes.
public struct JSONKey {
    let start: UnsafePointer<UInt8>
    let count: Int
    /// The key's bytes when the text spells it with escapes.
    let unescaped: [UInt8]?

    /// The key as a String: for keys that are kept and for errors about known fields.
    public var string: String {
        withBytes { String(decoding: $0, as: UTF8.self) }
    }

    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        guard let unescaped else {
            return body(UnsafeBufferPointer(start: start, count: count))
        }
        return unescaped.withUnsafeBufferPointer(body)
    }

    /// Lets a decoder read `switch key { case "transactionId": … }` at the price of a length
    /// comparison for most keys.
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
