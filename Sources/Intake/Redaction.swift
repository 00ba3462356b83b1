import AppStore
import Foundation
import Signing

/// Removes passwords from evidence kept without being parsed: a body that is truncated, repeats a
/// key or is wrapped in other text still contains the secret it was sent with.
enum Redaction {
    static let placeholder = Array("REDACTED".utf8)
    private static let name = Array("password".utf8)
    private static let backslash = UInt8(ascii: "\\")

    /// The bytes with every value of a member `password` replaced, at any quoting depth. Seals are
    /// kept: they do not disclose the secret.
    static func withoutPasswords(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while let colon = firstMember(in: bytes, from: index) {
            let (place, isQuoted) = value(in: bytes, after: colon)
            result += bytes[index..<place.lowerBound]
            result += replacement(of: bytes[place], isQuoted: isQuoted)
            index = place.upperBound
        }
        result += bytes[index...]
        return result
    }

    /// JSON with every escaped character that a secret can contain written plainly, in one pass
    /// without further decoding. Other escapes are kept or become zeros.
    static func unescaped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        bytes.withUnsafeBufferPointer { bytes in
            [UInt8](unsafeUninitializedCapacity: bytes.count) { result, count in
                guard let source = bytes.baseAddress, let target = result.baseAddress else {
                    return
                }
                var index = 0
                while index < bytes.count {
                    let end = bytes.firstPlace(of: UInt8(ascii: "\\"), from: index) ?? bytes.count
                    memcpy(target + count, source + index, end - index)
                    count += end - index
                    index = end
                    guard index + 1 < bytes.count else { break }
                    let escaped = bytes[index + 1]
                    index += 2
                    if escaped == UInt8(ascii: "u") {
                        let character = printable(bytes, at: index)
                        result[count] = character ?? 0
                        if character != nil { index += 4 }
                    } else {
                        result[count] = isItself(escaped) ? escaped : 0
                    }
                    count += 1
                }
            }
        }
    }

    /// Whether an escape without a number stands for the character itself (RFC 8259 §7).
    private static func isItself(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "/")
    }

    /// The character of four hexadecimal digits, if it is printable ASCII.
    private static func printable(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> UInt8? {
        guard index + 4 <= bytes.count, bytes[index] == UInt8(ascii: "0"),
            bytes[index + 1] == UInt8(ascii: "0"),
            let high = JSONCursor.hexadecimalDigit(bytes[index + 2]), (2...7).contains(high),
            let low = JSONCursor.hexadecimalDigit(bytes[index + 3])
        else { return nil }
        return high << 4 | low
    }

    static func contains(_ text: [UInt8], in bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = text.first else { return true }
        return bytes.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return false }
            var start = 0
            while let place = bytes.firstPlace(of: first, from: start),
                place + text.count <= bytes.count
            {
                if memcmp(base + place, text, text.count) == 0 { return true }
                start = place + 1
            }
            return false
        }
    }

    /// The bytes with every occurrence of `text` replaced.
    static func without(_ text: [UInt8], in bytes: [UInt8]) -> [UInt8] {
        guard !text.isEmpty, contains(text, in: bytes[...]) else { return bytes }
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == text[0], bytes[index...].starts(with: text) {
                result += placeholder
                index += text.count
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }

    /// The rarest letter of `name`, and its offset.
    private static let mark = (letter: UInt8(ascii: "w"), offset: 4)

    /// The index after the colon of the next member with the name. Searches for the rarest letter
    /// with `memchr`, since any client can send four million bytes.
    private static func firstMember(in bytes: [UInt8], from index: Int) -> Int? {
        bytes.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return nil }
            var start = index + mark.offset
            while let letter = bytes.firstPlace(of: mark.letter, from: start) {
                let place = letter - mark.offset
                if place > 0, bytes.count - place >= name.count, isQuoteOrEscape(bytes[place - 1]),
                    memcmp(base + place, name, name.count) == 0,
                    let end = colonEnd(bytes, after: place + name.count)
                {
                    return end
                }
                start = place + mark.offset + 1
            }
            return nil
        }
    }

    /// The index after the colon of a name that ends at `index`. Nil for a value, such as a product
    /// id, and for a longer name: neither is followed by a quotation mark and a colon.
    private static func colonEnd(_ bytes: UnsafeBufferPointer<UInt8>, after index: Int) -> Int? {
        var colon = index
        while colon < bytes.count, isQuoteOrEscape(bytes[colon]) { colon += 1 }
        guard colon > index else { return nil }
        while colon < bytes.count, bytes[colon] <= UInt8(ascii: " ") { colon += 1 }
        guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":") else { return nil }
        return colon + 1
    }

    /// What is kept in place of a value. JSON remains JSON: a number becomes zero, and the
    /// literals, which are no secrets, are kept.
    private static func replacement(of value: ArraySlice<UInt8>, isQuoted: Bool) -> [UInt8] {
        if value.isEmpty || value.starts(with: SealedNotificationV1.prefix.utf8) {
            return Array(value)
        }
        let word = value.prefix(while: { $0 > UInt8(ascii: " ") })
        let space = value[word.endIndex...]
        guard !isQuoted, space.allSatisfy({ $0 <= UInt8(ascii: " ") }) else { return placeholder }
        if literals.contains(where: { $0.elementsEqual(word) }) { return Array(value) }
        guard word.allSatisfy({ numberBytes.contains($0) }) else { return placeholder }
        return [UInt8(ascii: "0")] + space
    }

    private static let literals = ["null", "true", "false"].map { Array($0.utf8) }
    private static let numberBytes = Array("0123456789+-.eE".utf8)

    /// Where a value stands: of a string, between its quotation marks.
    ///
    /// In a text that is quoted itself, each mark follows a number of backslashes that grows with
    /// the depth. One that follows as many as the first, or fewer, ends the string; an escaped one
    /// follows more. Escaped backslashes before a mark do not count.
    private static func value(
        in bytes: [UInt8], after colon: Int
    ) -> (place: Range<Int>, isQuoted: Bool) {
        let first = bytes[colon...].firstIndex { !isBetween($0) } ?? bytes.count
        let opening = bytes[first...].firstIndex { $0 != backslash } ?? bytes.count
        guard opening < bytes.count, isQuoteOrEscape(bytes[opening]) else {
            return (first..<(bytes[first...].firstIndex { isEnd($0) } ?? bytes.count), false)
        }
        let depth = opening - first
        var backslashCount = 0
        for index in (opening + 1)..<bytes.count {
            if bytes[index] == backslash {
                backslashCount += 1
                continue
            }
            if bytes[index] == bytes[opening] {
                let own = backslashCount % (2 * depth + 2)
                if own <= depth { return ((opening + 1)..<(index - own), true) }
            }
            backslashCount = 0
        }
        return ((opening + 1)..<bytes.count, true)
    }

    private static func isQuoteOrEscape(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == backslash || byte == UInt8(ascii: "'")
    }

    private static func isBetween(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ":") || byte <= UInt8(ascii: " ")
    }

    private static func isEnd(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") || byte == UInt8(ascii: ",")
            || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
    }
}
