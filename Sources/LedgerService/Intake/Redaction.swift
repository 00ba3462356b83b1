import AppStore
import Foundation

/// Takes passwords out of what is kept without having been understood: a body cut short, spelled
/// twice or wrapped by somebody still holds the secret it was sent with.
enum Redaction {
    static let placeholder = Array("REDACTED".utf8)
    private static let name = Array("password".utf8)

    /// The bytes with every value of a member `password` replaced, however deep it is quoted. Seals
    /// stay: nobody can read a secret from them.
    static func withoutPasswords(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while let place = firstName(in: bytes, from: index) {
            let start = valueStart(bytes, after: place + name.count)
            let end = valueEnd(bytes, from: start)
            result += bytes[index..<start]
            let value = bytes[start..<end]
            let isSeal = value.starts(with: SealedNotificationV1.prefix.utf8)
            result += isSeal || value.isEmpty ? Array(value) : placeholder
            index = end
        }
        result += bytes[index...]
        return result
    }

    /// A version 1 body without its password; nil for what is no object.
    static func withoutPassword(_ body: JSONValue) -> JSONValue? {
        body.object.map { .object($0.filter { $0.key != "password" }) }
    }

    /// Whether `text` stands anywhere in `bytes`.
    static func contains(_ text: [UInt8], in bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = text.first else { return true }
        return bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, bytes.count >= text.count else { return false }
            let last = bytes.count - text.count
            var start = 0
            while start <= last, let found = memchr(base + start, Int32(first), last - start + 1) {
                if memcmp(found, text, text.count) == 0 { return true }
                start = UnsafeRawPointer(found) - base + 1
            }
            return false
        }
    }

    /// Its rarest letter, and where in it that stands.
    private static let mark = (letter: Int32(UInt8(ascii: "w")), offset: 4)

    /// Where the name stands next behind a quotation mark. The C library looks for its rarest letter:
    /// anybody may send four million bytes.
    private static func firstName(in bytes: [UInt8], from index: Int) -> Int? {
        bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return nil }
            var start = index + mark.offset
            while start < bytes.count,
                let found = memchr(base + start, mark.letter, bytes.count - start)
            {
                let place = UnsafeRawPointer(found) - base - mark.offset
                if place > 0, bytes.count - place >= name.count, isQuote(bytes[place - 1]),
                    memcmp(base + place, name, name.count) == 0
                {
                    return place
                }
                start = place + mark.offset + 1
            }
            return nil
        }
    }

    private static func valueStart(_ bytes: [UInt8], after index: Int) -> Int {
        var index = index
        while index < bytes.count, isQuote(bytes[index]) || isBetween(bytes[index]) { index += 1 }
        return index
    }

    private static func valueEnd(_ bytes: [UInt8], from index: Int) -> Int {
        var index = index
        while index < bytes.count, !isEnd(bytes[index]) { index += 1 }
        return index
    }

    private static func isQuote(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "'")
    }

    private static func isBetween(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ":") || byte <= UInt8(ascii: " ")
    }

    private static func isEnd(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") || byte == UInt8(ascii: ",")
            || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
    }
}
