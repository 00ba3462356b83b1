extension [UInt8] {
    /// Appends the contents of a JSON string. Escapes only what RFC 8259 §7 requires: quote,
    /// backslash and controls; `/` and non-ASCII characters are unchanged.
    mutating func appendJSONEscaped(_ text: UnsafeBufferPointer<UInt8>) {
        guard let base = text.baseAddress else { return }
        var (start, place) = (0, 0)
        while place < text.count {
            if place + 8 <= text.count, Bytes.stops(Bytes.word(base + place)) == 0 {
                place += 8
                continue
            }
            let byte = base[place]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<place]))
                appendEscape(byte)
                start = place + 1
            }
            place += 1
        }
        append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<text.count]))
    }

    private mutating func appendEscape(_ byte: UInt8) {
        append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: append(UInt8(ascii: "b"))
        case 0x09: append(UInt8(ascii: "t"))
        case 0x0A: append(UInt8(ascii: "n"))
        case 0x0C: append(UInt8(ascii: "f"))
        case 0x0D: append(UInt8(ascii: "r"))
        case 0x00..<0x20:
            let digits: StaticString = "0123456789abcdef"
            append(contentsOf: "u00".utf8)
            append(digits.utf8Start[Int(byte >> 4)])
            append(digits.utf8Start[Int(byte & 15)])
        default: append(byte)
        }
    }
}
