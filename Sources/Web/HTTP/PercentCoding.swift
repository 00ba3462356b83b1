/// Percent-decoding of paths and queries (RFC 3986 §2.1). A plus sign is a plus sign: times carry
/// them.
enum PercentCoding {
    /// Nil for an incomplete escape, for what is no UTF-8, and for control characters.
    static func decoded(_ text: some StringProtocol) -> String? {
        // Most are letters, digits and hyphens.
        guard !text.utf8.allSatisfy(isPlain) else { return String(text) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = digit(rest.popFirst()), let low = digit(rest.popFirst()) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Whether a byte stands for itself wherever it stands.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "%")
    }

    private static func digit(_ byte: UInt8?) -> UInt8? {
        guard let byte else { return nil }
        return Character(UnicodeScalar(byte)).hexDigitValue.map { UInt8($0) }
    }
}
