import Testing

@testable import SQLiteStore

/// Interned texts equal the stored ones.
@Suite("Recent texts")
struct RecentTextsTests {
    /// Covers every way of distinguishing texts, up to beyond the longest inline length.
    @Test(
        "texts that differ in one byte or in length are never confused", arguments: 0...40)
    func differingTexts(count: Int) {
        let recent = StringInterner()
        let plain = [UInt8](repeating: UInt8(ascii: "a"), count: count)
        var texts = [plain, plain + plain.prefix(1)]
        for place in plain.indices {
            var other = plain
            other[place] = UInt8(ascii: "b")
            texts.append(other)
        }
        // Twice: created, then found again, or evicted and created again.
        for bytes in texts + texts {
            let read = bytes.withUnsafeBytes { recent.text($0) }
            #expect(Array(read.utf8) == bytes)
        }
    }

    @Test(
        "invalid UTF-8 is repaired at every read", arguments: [1, 2, 5, 15, 16])
    func repairedText(count: Int) {
        let recent = StringInterner()
        let bytes = [UInt8](repeating: 0xFF, count: count)
        for _ in 0..<2 {
            let read = bytes.withUnsafeBytes { recent.text($0) }
            #expect(read == String(repeating: "\u{FFFD}", count: count))
        }
    }
}
