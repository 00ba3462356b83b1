import AppStore
import Queries
import Testing

/// Untrusted text in receipts, file names and tokens reaches a terminal only as text.
@Suite("Text for terminals and spreadsheets")
struct PrintableTests {
    @Test(
        "Control and format characters and line breaks are escaped as in JSON",
        arguments: [
            ("a\u{1B}[31mb", #"a\u001B[31mb"#), ("a\nb", #"a\u000Ab"#),
            ("a\r\u{8}\u{7}b", #"a\u000D\u0008\u0007b"#),
            ("\u{7F}\u{80}\u{9B}31m", #"\u007F\u0080\u009B31m"#),
            ("\u{202E}txt\u{200F}", #"\u202Etxt\u200F"#),
            ("\u{2028}\u{2029}\u{FEFF}\u{0}", #"\u2028\u2029\uFEFF\u0000"#),
            ("\u{E0001}", #"\uDB40\uDC01"#), ("Grüße – ● 日本 ~", "Grüße – ● 日本 ~"),
            ("", ""),
        ])
    func printable(text: String, shown: String) {
        #expect(text.printable == shown)
    }

    @Test("In several lines the breaks stay")
    func lines() {
        #expect(
            "a\u{1B}\n\nb\r\n".printableLines == #"a\u001B"# + "\n\nb" + #"\u000D"# + "\n")
    }

    @Test("JSON with escapes keeps its value")
    func json() throws {
        let text = "a\u{9B}b\u{202E}\u{E0001}\u{1B}\n\"\\"
        var json = JSONWriter()
        json.object { $0.member("text", text) }
        let shown = String(decoding: json.bytes, as: UTF8.self).printable
        #expect(shown.unicodeScalars.allSatisfy { (0x20..<0x7F).contains($0.value) })
        #expect(try JSONValue.parse(Array(shown.utf8))["text"]?.string == text)
    }

    @Test(
        "A field that a spreadsheet would execute is quoted as text; a number stays one",
        arguments: [
            ("=1+1", #""'=1+1""#), ("+49", #""'+49""#), ("-1+2", #""'-1+2""#),
            ("@SUM(A1)", #""'@SUM(A1)""#), ("\t=1", #""'\u0009=1""#), ("\r=1", #""'\u000D=1""#),
            ("\n=1", #""'\u000A=1""#), (#"=HYPERLINK("x")"#, #""'=HYPERLINK(""x"")""#),
            ("-", #""'-""#), ("--1", #""'--1""#), ("-9990", "-9990"), ("9990", "9990"),
            ("-0.25", "-0.25"), ("1e-05", "1e-05"), ("a=1", "a=1"), ("a,b", #""a,b""#),
            ("a\u{9B}b\u{202E}", #"a\u009Bb\u202E"#), ("a\nb", #"a\u000Ab"#), ("", ""),
            ("2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z"), ("0x10", "0x10"),
            ("-inf", #""'-inf""#), ("Grüße", "Grüße"), ("a; b", #""a; b""#),
            ("x;=1+1", #""x;'=1+1""#), ("=1;-2;@x;+3", #""'=1;'-2;'@x;'+3""#),
            ("x;=\u{338}1", "\"x;'=\u{338}1\""), ("a;\"=1;b", "\"a;'\"\"=1;b\""),
        ])
    func field(text: String, field: String) {
        #expect(text.csvField() == field)
    }

    @Test("Raw, only what RFC 4180 requires is quoted")
    func rawField() {
        for text in ["=1+1", "+49", "@x", "\t=1", "a\u{9B}b", "-9990", "x;=1+1", ""] {
            #expect(text.csvField(isRaw: true) == text)
        }
        #expect("a\nb".csvField(isRaw: true) == "\"a\nb\"")
        #expect("a\"b".csvField(isRaw: true) == "\"a\"\"b\"")
        // With a mark beside it the quote is another character.
        #expect("\u{600}\"\u{301},".csvField(isRaw: true) == "\"\u{600}\"\"\u{301},\"")
    }
}
