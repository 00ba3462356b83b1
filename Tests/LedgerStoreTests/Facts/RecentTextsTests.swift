@testable import SQLiteStore
import Testing


/// Texts shared between facts are the texts that were stored.
@Suite("Recent texts")
struct RecentTextsTests {
    /// Through every way of telling texts apart, and past the longest that lie inside a value.
    @Test(
        "texts that differ in one byte or in length are never taken for another", arguments: 0...40)
    func differingTexts(count: Int) {
        let recent = RecentTexts()
        let plain = [UInt8](repeating: UInt8(ascii: "a"), count: count)
        var texts = [plain, plain + plain.prefix(1)]
        for place in plain.indices {
            var other = plain
            other[place] = UInt8(ascii: "b")
            texts.append(other)
        }
        // Twice: made, then found again, or displaced and made again.
        for bytes in texts + texts {
            let read = bytes.withUnsafeBytes { recent.text($0) }
            #expect(Array(read.utf8) == bytes)
        }
    }

    @Test(
        "bytes that are no text are repaired each time they are read", arguments: [1, 2, 5, 15, 16])
    func repairedText(count: Int) {
        let recent = RecentTexts()
        let bytes = [UInt8](repeating: 0xFF, count: count)
        for _ in 0..<2 {
            let read = bytes.withUnsafeBytes { recent.text($0) }
            #expect(read == String(repeating: "\u{FFFD}", count: count))
        }
    }
}
