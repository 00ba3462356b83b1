import AppStore
import TestSupport
import Testing

@Suite("JSON that must be rejected")
struct JSONStrictnessTests {
    struct Refusal: Sendable, CustomTestStringConvertible {
        var text: String
        var code: JSONError.Code
        var offset: Int?
        var testDescription: String { "\(code.rawValue): \(text.prefix(40))" }

        init(_ text: String, _ code: JSONError.Code, _ offset: Int? = nil) {
            self.text = text
            self.code = code
            self.offset = offset
        }
    }

    static let grammar: [Refusal] = [
        .init("", .unexpectedEnd, 0), .init("  ", .unexpectedEnd, 2),
        .init("{", .unexpectedEnd), .init("[", .unexpectedEnd), .init("[1", .unexpectedEnd),
        .init("{\"a\"", .unexpectedEnd), .init("{\"a\":", .unexpectedEnd),
        .init("{\"a\":1", .unexpectedEnd), .init("\"a", .unexpectedEnd),
        .init("\"a\\", .unexpectedEnd), .init("nul", .unexpectedEnd), .init("-", .unexpectedEnd),
        .init("1.", .unexpectedEnd), .init("1e", .unexpectedEnd), .init("1e+", .unexpectedEnd),
        .init("[1,]", .malformed, 3), .init("[,1]", .malformed, 1), .init("{,}", .malformed, 1),
        .init("{\"a\":1,}", .malformed, 7), .init("{\"a\" 1}", .malformed, 5),
        .init("{\"a\":1 \"b\":2}", .malformed, 7), .init("{a:1}", .malformed, 1),
        .init("{'a':1}", .malformed, 1), .init("{1:1}", .malformed), .init("[1 2]", .malformed, 3),
        .init("[1}", .malformed, 2), .init("{\"a\":1]", .malformed), .init("tru e", .malformed),
        .init("True", .malformed, 0), .init("NaN", .malformed), .init("Infinity", .malformed),
        .init("-Infinity", .malformed, 1), .init("+1", .malformed, 0), .init(".5", .malformed),
        .init("-a", .malformed, 1), .init("1.e3", .malformed, 2), .init("1ex", .malformed, 2),
        .init("// no\n1", .malformed), .init("\u{FEFF}1", .malformed, 0),
        .init("01", .trailingBytes, 1), .init("-01", .trailingBytes, 2),
        .init("1 1", .trailingBytes, 2), .init("{} {}", .trailingBytes, 3),
        .init("null,", .trailingBytes), .init("\"\"x", .trailingBytes),
        .init("0x10", .trailingBytes),
        .init("1\u{A0}", .trailingBytes), .init("[]]", .trailingBytes, 2),
    ]

    static let strings: [Refusal] = [
        .init("\"a\nb\"", .malformed, 2), .init("\"\u{0}\"", .malformed, 1),
        .init("\"12345678\u{1F}\"", .malformed, 9), .init("\"\\\u{1}\"", .malformed),
        .init("\"\\x\"", .malformed, 1), .init("\"\\'\"", .malformed),
        .init("\"\\U0041\"", .malformed),
        .init("\"\\u\"", .malformed), .init("\"\\u12\"", .malformed),
        .init("\"\\u12G4\"", .malformed),
        .init("\"\\u-123\"", .malformed), .init("\"\\ud83d\"", .loneSurrogate, 1),
        .init("\"\\ude00\"", .loneSurrogate, 1), .init("\"\\ud83d\\u0041\"", .loneSurrogate, 1),
        .init("\"\\ud83d\\n\"", .loneSurrogate), .init("\"\\ud83d x\"", .loneSurrogate),
        .init("\"\\ude00\\ud83d\"", .loneSurrogate), .init("\"\\ud83d\\ud83d\"", .loneSurrogate),
        .init("\"\\ud83d\\u\"", .malformed), .init("{\"\\udc00\":1}", .loneSurrogate, 2),
    ]

    static let duplicates: [Refusal] = [
        .init("{\"a\":1,\"a\":1}", .duplicateKey, 7),
        .init("{\"a\":1,\"b\":2,\"a\":3}", .duplicateKey),
        .init("{\"a\":1,\"\\u0061\":2}", .duplicateKey, 7),
        .init("{\"\\u0061\":1,\"a\":2}", .duplicateKey),
        .init("{\"\\u0061\":1,\"\\u0061\":2}", .duplicateKey),
        .init("{\"b\":0,\"\\u0061\":1,\"c\":2,\"c\":3}", .duplicateKey),
        .init("{\"\":1,\"\":2}", .duplicateKey, 6),
        .init("[{\"x\":{\"a\":1,\"a\":1}}]", .duplicateKey),
        .init("{\"\\/\":1,\"/\":2}", .duplicateKey),
        .init("{\"é\":1,\"\\u00e9\":2}", .duplicateKey),
    ]

    @Test(
        "Broken grammar, strings and duplicate keys have their code, and are not skipped",
        arguments:
            grammar + strings + duplicates)
    func refused(_ refusal: Refusal) throws {
        let bytes = Array(refusal.text.utf8)
        let error = #expect(throws: JSONError.self) { try JSONValue.parse(bytes) }
        #expect(error?.code == refusal.code)
        if let offset = refusal.offset { #expect(error?.offset == offset) }
        #expect(try #require(error).offset <= bytes.count)
        #expect(throws: JSONError.self) {
            try bytes.withUnsafeBufferPointer { buffer in
                var cursor = JSONCursor(buffer)
                try cursor.skipValue()
                try cursor.finish()
            }
        }
    }

    static let badUTF8: [[UInt8]] = [
        [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xE0, 0x9F, 0xBF],
        [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xEF, 0xBF],
        [0xF0, 0x8F, 0xBF, 0xBF],
        [0xF0, 0x9F, 0x98], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF],
        [0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0xFF],
    ]

    @Test("Malformed UTF-8 is rejected in values and in keys", arguments: badUTF8)
    func utf8(_ bytes: [UInt8]) throws {
        let quoted = [0x22] + bytes + [0x22]
        for text in [quoted, Array("{".utf8) + quoted + Array(":1}".utf8)] {
            let error = #expect(throws: JSONError.self) { try JSONValue.parse(text) }
            #expect(error?.code == .invalidUTF8)
        }
    }

    @Test(
        "Well-formed UTF-8 of every length is accepted",
        arguments: ["é", "\u{7FF}", "€", "\u{FFFF}", "😀", "\u{10FFFF}", "\u{D7FF}\u{E000}"])
    func goodUTF8(_ text: String) throws {
        let value = try JSONValue.parse(Array("\"abcdefg\(text)hijklmnop\"".utf8))
        #expect(value == .string("abcdefg\(text)hijklmnop"))
    }

    @Test("Containers may be nested up to the limit", arguments: ["[", "{\"a\":"])
    func depth(_ opening: String) throws {
        func nested(_ depth: Int) -> [UInt8] {
            let closing = opening == "[" ? "]" : "}"
            let core = opening == "[" ? "" : "1"
            return Array(
                (String(repeating: opening, count: depth) + core
                    + String(repeating: closing, count: depth)).utf8)
        }
        #expect(throws: Never.self) { try JSONValue.parse(nested(JSONLimits.depth)) }
        let error = #expect(throws: JSONError.self) {
            try JSONValue.parse(nested(JSONLimits.depth + 1))
        }
        #expect(error?.code == .tooDeep)
        let hostile = [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)
        #expect(throws: JSONError.self) { try JSONValue.parse(hostile) }
    }

    @Test("Siblings do not count as depth")
    func siblings() throws {
        let text = "[" + Array(repeating: "{\"a\":[]}", count: 100).joined(separator: ",") + "]"
        #expect(try JSONValue.parse(Array(text.utf8)).array?.count == 100)
    }

    @Test(
        "A duplicate is found among any number of keys",
        arguments: [31, 32, 33, 34, 100, Soak.count(10_000, soak: 100_000)])
    func manyKeys(_ count: Int) throws {
        let members = (0..<count).map { "\"key\($0)\":0" }
        let good = "{" + members.joined(separator: ",") + "}"
        #expect(try JSONValue.parse(Array(good.utf8)).object?.count == count)
        for repeated in ["key0", "key\(count / 2)", "key\(count - 1)", "\\u006bey0"] {
            let bad = "{" + members.joined(separator: ",") + ",\"\(repeated)\":1}"
            let error = #expect(throws: JSONError.self) { try JSONValue.parse(Array(bad.utf8)) }
            #expect(error?.code == .duplicateKey)
        }
    }

    @Test("Escaped keys are remembered among many plain ones")
    func escapedAmongMany() throws {
        let members = (0..<200).map { $0 % 3 == 0 ? "\"\\u006b\($0)\":0" : "\"k\($0)\":0" }
        let good = "{" + members.joined(separator: ",") + "}"
        #expect(try JSONValue.parse(Array(good.utf8)).object?.count == 200)
        for repeated in ["k0", "\\u006b1", "k198", "\\u006b199"] {
            let bad = "{" + members.joined(separator: ",") + ",\"\(repeated)\":1}"
            let error = #expect(throws: JSONError.self) { try JSONValue.parse(Array(bad.utf8)) }
            #expect(error?.code == .duplicateKey)
        }
    }

    @Test("Errors have place and field, never contents")
    func description() {
        let text = Array(#"{"price":"secret-value"}"#.utf8)
        let error = #expect(throws: JSONError.self) { try TransactionPayload.decode(text) }
        #expect(error?.description == "wrongType at byte 9 in field price")
        let unknown = Array(#"{"secret-key":[}"#.utf8)
        let other = #expect(throws: JSONError.self) { try TransactionPayload.decode(unknown) }
        #expect(other?.description == "malformed at byte 15")
    }

    @Test(
        "Skipping a value accepts what reading it accepts",
        arguments: [
            "{\"a\":[1,-2.5e3,true,false,null,{}],\"b\":\"\\u00e9\"}", "[]", "\"x\"", " 0 ", "null",
        ])
    func passed(text: String) throws {
        let bytes = Array(text.utf8)
        _ = try JSONValue.parse(bytes)
        try bytes.withUnsafeBufferPointer { buffer in
            var cursor = JSONCursor(buffer)
            try cursor.skipValue()
            try cursor.finish()
        }
    }
}
