/// The names of an object's own members, without decoding anything else. Names with escapes are
/// returned as written. Stops at the first byte that is not part of a JSON object.
struct TopLevelNames {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0
    private var depth = 0
    /// Whether the next string at depth 1 is a name rather than a value.
    private var expectsName = true

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    mutating func next() -> UnsafeBufferPointer<UInt8>? {
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = readString() else { return nil }
                if depth == 1, expectsName {
                    expectsName = false
                    return string
                }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth <= 0 { return nil }
            case UInt8(ascii: ","):
                if depth == 1 { expectsName = true }
            default:
                if depth == 0, !TopLevelNames.isSpace(byte) { return nil }
            }
        }
        return nil
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    /// The bytes from the current position to the next unescaped quote.
    private mutating func readString() -> UnsafeBufferPointer<UInt8>? {
        let start = index
        while index < bytes.count {
            let rest = UnsafeBufferPointer(rebasing: bytes[index...])
            guard let quote = ByteSearch.firstIndex(of: UInt8(ascii: "\""), in: rest) else {
                return nil
            }
            index += quote + 1
            let end = index - 1
            var backslashes = 0
            while end - backslashes > start,
                bytes[end - backslashes - 1] == UInt8(ascii: "\\")
            {
                backslashes += 1
            }
            if backslashes % 2 == 0 { return UnsafeBufferPointer(rebasing: bytes[start..<end]) }
        }
        return nil
    }
}
