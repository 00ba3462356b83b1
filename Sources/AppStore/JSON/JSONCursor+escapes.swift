extension JSONCursor {
    /// The decoded bytes of a string with escapes (RFC 8259 §7).
    func unescape(_ text: Text) throws(JSONError) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.end - text.start)
        var place = text.start
        while place < text.end {
            let byte = bytes[place]
            guard byte == UInt8(ascii: "\\") else {
                result.append(byte)
                place += 1
                continue
            }
            // scanText has checked that a byte follows every backslash.
            let escape = bytes[place + 1]
            if escape == UInt8(ascii: "u") {
                append(try unicodeScalar(&place, end: text.end), to: &result)
                continue
            }
            guard let plain = Self.plainEscape(escape) else {
                throw JSONError(.malformed, offset: place)
            }
            result.append(plain)
            place += 2
        }
        return result
    }

    private static func plainEscape(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): byte
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: nil
        }
    }

    /// The scalar of `\uXXXX`, or of two of them that form a surrogate pair.
    private func unicodeScalar(
        _ place: inout Int, end: Int
    ) throws(JSONError) -> Unicode.Scalar {
        let start = place
        let first = try codeUnit(place, end: end)
        place += 6
        if let scalar = Unicode.Scalar(first) { return scalar }
        // A surrogate. Only a high one followed by a low one is valid.
        guard first < 0xDC00, place + 1 < end, bytes[place] == UInt8(ascii: "\\"),
            bytes[place + 1] == UInt8(ascii: "u")
        else { throw JSONError(.loneSurrogate, offset: start) }
        let second = try codeUnit(place, end: end)
        let pair = 0x10000 + ((first & 0x3FF) << 10) + (second & 0x3FF)
        guard (0xDC00...0xDFFF).contains(second), let scalar = Unicode.Scalar(pair) else {
            throw JSONError(.loneSurrogate, offset: start)
        }
        place += 6
        return scalar
    }

    private func codeUnit(_ place: Int, end: Int) throws(JSONError) -> UInt32 {
        var unit: UInt32 = 0
        for offset in place + 2..<place + 6 {
            guard offset < end, let digit = Self.hexadecimalDigit(bytes[offset]) else {
                throw JSONError(.malformed, offset: min(offset, end))
            }
            unit = unit << 4 | UInt32(digit)
        }
        return unit
    }

    /// The value of a hexadecimal digit; nil for other characters.
    package static func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private func append(_ scalar: Unicode.Scalar, to result: inout [UInt8]) {
        result.append(contentsOf: String(Character(scalar)).utf8)
    }
}
