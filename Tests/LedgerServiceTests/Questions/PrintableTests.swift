import LedgerService
import Testing

/// What strangers put into receipts, file names and tokens reaches a terminal as text alone.
@Suite("Text for terminals")
struct PrintableTests {
    @Test(
        "Controls, marks without a shape and line breaks become a dot",
        arguments: [
            ("a\u{1B}[31mb", "a·[31mb"), ("a\nb", "a·b"), ("a\r\u{8}\u{7}b", "a···b"),
            ("\u{7F}\u{80}\u{9B}31m", "···31m"), ("\u{202E}txt\u{200F}", "·txt·"),
            ("\u{2028}\u{2029}\u{FEFF}\u{0}", "····"), ("Grüße – ● 日本 ~", "Grüße – ● 日本 ~"),
            ("", ""),
        ])
    func printable(text: String, shown: String) {
        #expect(text.printable == shown)
    }

    @Test("Of several lines the breaks stay")
    func lines() {
        #expect("a\u{1B}\n\nb\r\n".printableLines == "a·\n\nb·\n")
    }
}
