import AppStore
import Testing

@Suite("JSON values")
struct JSONValueTests {
    private func parse(_ text: String) throws -> JSONValue { try JSONValue.parse(Array(text.utf8)) }

    private func canonical(_ text: String) throws -> String {
        String(decoding: try parse(text).canonical(), as: UTF8.self)
    }

    @Test(
        "Order and spelling survive a round trip",
        arguments: [
            #"{"b":1,"a":[true,false,null,{}],"c":{"z":[],"y":""}}"#,
            #"[1,1.0,1e0,-0,0.10,12345678901234567890123,1E+400]"#, #""plain""#, "null", "0", "-1",
            #"["\"\\/é😀","\b\f\n\r\t\u0001\u001f"]"#, "[[],[[]],{}]",
        ])
    func roundTrip(_ text: String) throws {
        #expect(String(decoding: try parse(text).encoded(), as: UTF8.self) == text)
    }

    @Test("Escapes are decoded, pairs included")
    func escapes() throws {
        #expect(
            try parse(#""\u0041\u00e9\u20AC\ud83d\ude00\/\"\\\b\f\n\r\t\u0000""#)
                == .string("Aé€😀/\"\\\u{8}\u{C}\n\r\t\u{0}"))
    }

    @Test("White space of the four kinds is allowed between tokens")
    func whitespace() throws {
        #expect(
            try parse(" \t\r\n{ \"a\" : [ 1 , 2 ] , \"b\" : { } } \n").encoded()
                == parse(#"{"a":[1,2],"b":{}}"#).encoded())
    }

    @Test("Strings of every length around the word size keep their bytes")
    func lengths() throws {
        for length in 0...40 {
            for tail in ["", "é", "\n", "\"", "\\"] {
                let text = String(repeating: "x", count: length) + tail
                let value = try JSONValue.parse(JSONValue.string(text).encoded())
                #expect(value == .string(text))
            }
        }
    }

    @Test("Accessors")
    func accessors() throws {
        let value = try parse(#"{"s":"x","n":5.0,"f":1.5,"b":true,"a":[1],"o":{"k":null}}"#)
        #expect(value["s"]?.string == "x")
        #expect(value["n"]?.int64 == 5)
        #expect(value["f"]?.int64 == nil)
        #expect(value["b"]?.bool == true)
        #expect(value["a"]?.array == [.number("1")])
        #expect(value["o"]?["k"]?.isNull == true)
        #expect(value["o"]?.object == [JSONMember(key: "k", value: .null)])
        #expect(value["missing"] == nil)
        #expect(value["s"]?["x"] == nil)
        #expect(
            value.string == nil && value.int64 == nil && value.bool == nil && value.array == nil)
        #expect(JSONValue.null.object == nil)
    }

    @Test(
        "Integers in any spelling, and no other numbers",
        arguments: [
            ("0", 0), ("-0", 0), ("-0.0e5", 0), ("1e3", 1000), ("1.5e1", 15), ("1500e-2", 15),
            ("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min),
            ("9223372036854775808", nil), ("-9223372036854775809", nil),
            ("1e18", 1_000_000_000_000_000_000),
            ("1e19", nil), ("99999999999999999999", nil), ("0e999999999999999999999", 0),
            ("1e999999999999999999999", nil), ("1e-999999999999999999999", nil), ("0.5", nil),
            ("0.000", 0), ("922337203685477580.70e1", Int64.max),
            ("123456789012345678", 123_456_789_012_345_678),
            ("1234567890123456789", 1_234_567_890_123_456_789),
        ] as [(String, Int64?)])
    func integers(_ text: String, _ expected: Int64?) throws {
        #expect(try parse(text).int64 == expected)
    }

    @Test(
        "Canonical form ignores order and spelling",
        arguments: [
            (#"{"b":1,"a":2}"#, #"{"a":2,"b":1.0}"#), ("[1,10,100]", "[1e0,1E+1,0.1e3]"),
            (#""\u0041\/""#, #""A/""#), ("-0", "0"), ("1.50", "15e-1"), ("-0.001", "-1E-3"),
            (#"{"x":{"é":1,"z":2}}"#, #"{"x":{"z":2,"\u00e9":1}}"#),
        ])
    func canonicalAgrees(_ one: String, _ other: String) throws {
        #expect(try canonical(one) == canonical(other))
    }

    @Test(
        "Canonical form distinguishes different meanings",
        arguments: [
            ("1", "2"), ("1", "-1"), ("1", #""1""#), ("1.5", "1.51"), ("[1,2]", "[2,1]"),
            ("null", "false"),
            (#"{"a":null}"#, "{}"), ("1e400", "1e401"), ("9007199254740993", "9007199254740992"),
            ("\"é\"", "\"e\u{301}\""), ("1e9999999999999999", "1e9999999999999998"),
        ])
    func canonicalDiffers(_ one: String, _ other: String) throws {
        #expect(try parse(one).canonical() != parse(other).canonical())
    }

    @Test("Canonical keys are in byte order")
    func canonicalOrder() throws {
        #expect(
            try canonical(#"{"b":0,"é":0,"a":0,"B":0,"aa":0,"":0,"😀":0,"\uffff":0}"#)
                == "{\"\":0,\"B\":0,\"a\":0,\"aa\":0,\"b\":0,\"é\":0,\"\u{FFFF}\":0,\"😀\":0}")
    }
}
