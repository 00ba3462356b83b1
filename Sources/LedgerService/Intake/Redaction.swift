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
        while index < bytes.count {
            guard isName(bytes, at: index) else {
                result.append(bytes[index])
                index += 1
                continue
            }
            let start = valueStart(bytes, after: index + name.count)
            let end = valueEnd(bytes, from: start)
            result += bytes[index..<start]
            let value = bytes[start..<end]
            let isSeal = value.starts(with: SealedNotificationV1.prefix.utf8)
            result += isSeal || value.isEmpty ? Array(value) : placeholder
            index = end
        }
        return result
    }

    private static func isName(_ bytes: [UInt8], at index: Int) -> Bool {
        guard bytes[index] == name[0], bytes.count - index >= name.count,
            index > 0, isQuote(bytes[index - 1])
        else { return false }
        return bytes[index..<index + name.count].elementsEqual(name)
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
