import AppStore
import Testing

/// Strings are scanned many bytes at a time: these tests cover each place inside and at the edges
/// of a step.
@Suite("Special bytes are found at every place of a string")
struct JSONTextPlaceTests {
    private static let lengths = [0, 1, 7, 8, 9, 31, 32, 33, 39, 40, 63, 64, 65, 100]

    private static func parse(_ bytes: [UInt8]) -> Result<JSONValue, JSONError> {
        Result { () throws(JSONError) in try JSONValue.parse(bytes) }
    }

    private static func quoted(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8(ascii: "\"")] + bytes + [UInt8(ascii: "\"")]
    }

    @Test("A quote ends it, whatever follows")
    func end() {
        for length in Self.lengths {
            let plain = [UInt8](repeating: UInt8(ascii: "a"), count: length)
            #expect(
                Self.parse(Self.quoted(plain))
                    == .success(.string(String(decoding: plain, as: UTF8.self))))
            let more = Self.quoted(plain) + plain + [UInt8(ascii: "b")]
            let refused = Self.parse(more)
            #expect(refused == .failure(JSONError(.trailingBytes, offset: length + 2)))
        }
    }

    @Test("Control characters are rejected at every place, and no other bytes are")
    func controls() {
        for length in Self.lengths {
            for place in 0..<length {
                for byte in [0, 0x1F, 0x20, 0x21, 0x23, 0x5B, 0x5D, 0x7F] as [UInt8] {
                    var text = [UInt8](repeating: UInt8(ascii: "a"), count: length)
                    text[place] = byte
                    let result = Self.parse(Self.quoted(text))
                    if byte < 0x20 {
                        #expect(result == .failure(JSONError(.malformed, offset: place + 1)))
                    } else {
                        let whole = String(decoding: text, as: UTF8.self)
                        #expect(result == .success(.string(whole)))
                    }
                }
            }
        }
    }

    @Test("An escape, and non-ASCII text, valid or broken")
    func others() {
        for length in Self.lengths {
            let plain = [UInt8](repeating: UInt8(ascii: "a"), count: length)
            for place in 0...length {
                let (before, after) = (plain[..<place], plain[place...])
                let escaped = Self.parse(Self.quoted(before + Array("\\\"".utf8) + after))
                let expected = before + [UInt8(ascii: "\"")] + after
                #expect(escaped == .success(.string(String(decoding: expected, as: UTF8.self))))
                let accented = before + Array("é".utf8) + after
                #expect(
                    Self.parse(Self.quoted(Array(accented)))
                        == .success(.string(String(decoding: accented, as: UTF8.self))))
                let broken = Self.parse(Self.quoted(before + [0xC3] + after))
                #expect(broken == .failure(JSONError(.invalidUTF8, offset: place + 1)))
            }
        }
    }
}
