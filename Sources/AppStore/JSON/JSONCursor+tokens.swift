extension JSONCursor {
    /// The range of a string in the text, without its quotes.
    struct Text {
        var start: Int
        var end: Int
        var hasEscapes = false
        var isASCII = true
    }

    @inline(__always)
    mutating func skipWhitespace() {
        while index < bytes.count {
            switch bytes[index] {
            case 0x20, 0x0A, 0x0D, 0x09: index += 1
            default: return
            }
        }
    }

    /// The byte at the position; at the end 0, with which no token begins.
    @inline(__always)
    func peek() -> UInt8 {
        index < bytes.count ? bytes[index] : 0
    }

    @inline(__always)
    mutating func expect(_ byte: UInt8) throws(JSONError) {
        guard index < bytes.count, bytes[index] == byte else { throw unexpected() }
        index += 1
    }

    mutating func expectLiteral(_ word: StaticString) throws(JSONError) {
        for place in 0..<word.utf8CodeUnitCount {
            try expect(word.utf8Start[place])
        }
    }

    /// The error for an unexpected byte or end.
    func unexpected() -> JSONError {
        JSONError(index < bytes.count ? .malformed : .unexpectedEnd, offset: index)
    }

    /// The error for a value of another type than the field's, or of no type.
    func mismatch(_ key: JSONKey?) -> JSONError {
        switch peek() {
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""), UInt8(ascii: "-"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
            JSONError(.wrongType, offset: index, field: key?.string)
        default:
            unexpected()
        }
    }

    // MARK: Strings

    /// Finds the end of the string that starts here, many bytes at a time: a notification is a
    /// string of 19 KB, and its nested JWS are strings of 6 KB.
    mutating func scanText() throws(JSONError) -> Text {
        try expect(UInt8(ascii: "\""))
        guard let base = bytes.baseAddress else { throw unexpected() }
        var text = Text(start: index, end: index)
        var high: UInt64 = 0
        while true {
            // Four words per step; the compiler needs half as many instructions as for two by two.
            while index + 32 <= bytes.count {
                let start = base + index
                let (one, two) = (Bytes.word(start), Bytes.word(start + 8))
                let (three, four) = (Bytes.word(start + 16), Bytes.word(start + 24))
                guard
                    Bytes.stops(one) | Bytes.stops(two) | Bytes.stops(three) | Bytes.stops(four)
                        == 0
                else { break }
                high |= one | two | three | four
                index += 32
            }
            while index + 8 <= bytes.count {
                let word = Bytes.word(base + index)
                let stops = Bytes.stops(word)
                guard stops == 0 else {
                    let place = stops.trailingZeroBitCount >> 3
                    high |= word & ((1 << UInt64(place * 8)) &- 1)
                    index += place
                    break
                }
                high |= word
                index += 8
            }
            guard index < bytes.count else { throw unexpected() }
            let byte = base[index]
            switch byte {
            case UInt8(ascii: "\""):
                text.end = index
                text.isASCII = high & Bytes.highs == 0
                index += 1
                if !text.isASCII { try checkUTF8(text) }
                return text
            case UInt8(ascii: "\\"):
                text.hasEscapes = true
                index += 1
                // The escaped byte may be a quote; its validity is checked when unescaping.
                guard index < bytes.count else { throw unexpected() }
                guard base[index] >= 0x20 else { throw unexpected() }
                high |= UInt64(base[index])
                index += 1
            case 0..<0x20:
                throw unexpected()
            default:
                high |= UInt64(byte)
                index += 1
            }
        }
    }

    private func checkUTF8(_ text: Text) throws(JSONError) {
        let slice = UnsafeBufferPointer(rebasing: bytes[text.start..<text.end])
        do throws(UTF8.ValidationError) { _ = try UTF8Span(validating: slice.span) } catch {
            throw JSONError(.invalidUTF8, offset: text.start + error.byteOffsets.lowerBound)
        }
    }

    mutating func readKey() throws(JSONError) -> JSONKey {
        let text = try scanText()
        guard let base = bytes.baseAddress else { throw unexpected() }
        return JSONKey(
            start: base + text.start, count: text.end - text.start,
            unescaped: text.hasEscapes ? try unescape(text) : nil)
    }

    /// The string that starts here.
    mutating func readString() throws(JSONError) -> String {
        let text = try scanText()
        guard text.hasEscapes else {
            let slice = UnsafeBufferPointer(rebasing: bytes[text.start..<text.end])
            return String(decoding: slice, as: UTF8.self)
        }
        return String(decoding: try unescape(text), as: UTF8.self)
    }

    // MARK: Numbers

    /// Skips the number that starts here and returns its range (RFC 8259 §6).
    mutating func scanNumber() throws(JSONError) -> Range<Int> {
        let start = index
        if peek() == UInt8(ascii: "-") { index += 1 }
        if peek() == UInt8(ascii: "0") {
            index += 1
        } else {
            try scanDigits()
        }
        if peek() == UInt8(ascii: ".") {
            index += 1
            try scanDigits()
        }
        if peek() | 0x20 == UInt8(ascii: "e") {
            index += 1
            if peek() == UInt8(ascii: "+") || peek() == UInt8(ascii: "-") { index += 1 }
            try scanDigits()
        }
        return start..<index
    }

    private mutating func scanDigits() throws(JSONError) {
        let start = index
        while (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(peek()) { index += 1 }
        guard index > start else { throw unexpected() }
    }

    func token(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: bytes[range])
    }
}
