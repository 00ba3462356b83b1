import AppStore
import Testing

@Suite("Numbers of queries and cursors")
struct PlainNumberTests {
    @Test(
        "every number has one spelling",
        arguments: [
            ("0", 0), ("7", 7), ("10", 10), ("-1", -1),
            ("9223372036854775807", .max), ("-9223372036854775808", .min),
        ] as [(String, Int64)])
    func read(_ text: String, _ number: Int64) {
        #expect(Int64(plain: text) == number)
        #expect(Int64(plain: Substring(text)) == number)
    }

    @Test(
        "any other text is rejected",
        arguments: [
            "", "+", "-", "+1", "01", "00", "-0", "-01", "--1", " 1", "1 ", "1\n", "1\u{0}", "1.0",
            "1e3", "0x1", "1_000", "1,000", "٥", "１", "9223372036854775808",
            "-9223372036854775809", "18446744073709551617", String(repeating: "9", count: 512),
        ])
    func refused(_ text: String) {
        #expect(Int64(plain: text) == nil)
    }
}
