/// Percent-decoding of paths and queries (RFC 3986 §2.1). A plus sign is literal, since times
/// contain it.
enum PercentCoding {
    /// Nil for an incomplete escape, invalid UTF-8, and control characters.
    ///
    /// - Parameter allowed: control characters that are accepted.
    static func decoded(_ text: some StringProtocol, allowing allowed: [UInt8] = []) -> String? {
        // The common case needs no decoding.
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
        guard !bytes.contains(where: { ($0 < 0x20 || $0 == 0x7F) && !allowed.contains($0) }) else {
            return nil
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// What `decoded` refuses unless it is allowed.
    static let controls = Array(0x00..<0x20 as Range<UInt8>) + [0x7F]

    /// Text with spaces for control characters, which what is pasted into a field may have; lines
    /// are kept, and end with LF.
    static func spaced(_ text: String) -> String {
        let scalars = text.replacing("\r\n", with: "\n").unicodeScalars.map { scalar in
            (scalar.value < 0x20 && scalar != "\n") || scalar.value == 0x7F ? " " : scalar
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// Whether a byte is literal wherever it occurs.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "%")
    }

    private static func digit(_ byte: UInt8?) -> UInt8? {
        guard let byte else { return nil }
        return Character(UnicodeScalar(byte)).hexDigitValue.map { UInt8($0) }
    }
}
