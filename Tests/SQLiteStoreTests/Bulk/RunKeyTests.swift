import Simulator
import Testing

@testable import SQLiteStore

@Suite("Keys of runs")
struct RunKeyTests {
    private static let texts = [
        "", "\0", "\0\0", "\0a", "\u{1}", "1", "10", "2", "a", "a\0", "a\0\0", "a\0b", "a\u{1}",
        "ab", "b", "e\u{301}", "é", "ÿ", "中", "\u{FFFD}", "🙂", "🙂\0🙂",
    ]

    private static let numbers: [Int64] = [
        .min, .min + 1, -1 << 32, -256, -255, -1, 0, 1, 127, 128, 255, 256, 1 << 32, .max - 1, .max,
    ]

    private func key(_ text: String) -> [UInt8] {
        var key: [UInt8] = []
        RunKey.append(text, to: &key)
        return key
    }

    private func key(_ number: Int64) -> [UInt8] {
        var key: [UInt8] = []
        RunKey.append(number, to: &key)
        return key
    }

    private func compare(_ left: [UInt8], _ right: [UInt8]) -> Int {
        left.withUnsafeBytes { one in right.withUnsafeBytes { RunOrder.compare(one, $0) } }
            .signum()
    }

    @Test("Bytes compare as texts do in SQLite")
    func order() {
        let keys: [[UInt8]] = [
            [], [0], [0, 0], [0, 255], [1], [127, 255], [128], [255], [255, 0],
        ]
        for (index, left) in keys.enumerated() {
            for (other, right) in keys.enumerated() {
                #expect(compare(left, right) == (index - other).signum(), "\(left) \(right)")
            }
        }
    }

    @Test("Texts keep bytewise order, with embedded NULs and any suffix")
    func textsInOrder() {
        let ordered = RunKeyTests.texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        // A number follows in every key; stored ones are not negative.
        for (index, left) in ordered.enumerated() {
            for (other, right) in ordered.enumerated() where index != other {
                let order = compare(key(left) + key(9), key(right) + key(Int64(3)))
                #expect(order == (index - other).signum(), "\(left.debugDescription)")
            }
        }
    }

    @Test("Keys with equal texts are ordered by the number that follows")
    func textAndNumber() {
        for (left, right) in zip(RunKeyTests.numbers, RunKeyTests.numbers.dropFirst()) {
            #expect(compare(key("a\0b") + key(left), key("a\0b") + key(right)) < 0)
        }
    }

    @Test("A text round-trips byte for byte", arguments: texts)
    func textRoundTrip(text: String) {
        let bytes = key(text)
        let back = bytes.withUnsafeBytes { RunKey.text($0, count: bytes.count) }
        #expect(Array(back.utf8) == Array(text.utf8))
        // The same for a longer key.
        let longer = bytes + key(Int64(-5))
        let beginning = longer.withUnsafeBytes { RunKey.text($0, count: bytes.count) }
        #expect(Array(beginning.utf8) == Array(text.utf8))
    }

    @Test("Signed numbers keep their order as bytes, and round-trip", arguments: numbers)
    func orderOfNumbers(number: Int64) {
        let bytes = [1, 2, 3] + key(number)
        #expect(bytes.withUnsafeBytes { RunKey.int64($0, at: 3) } == number)
        for other in RunKeyTests.numbers {
            #expect(
                compare(key(number), key(other)) == (number < other ? -1 : number > other ? 1 : 0))
        }
    }

    @Test("Random texts keep their order and round-trip", arguments: 1...3 as ClosedRange<UInt64>)
    func randomTexts(seed: UInt64) {
        var chance = SeededGenerator(seed: seed)
        let letters: [Character] = ["\0", "\0", "\u{1}", "a", "é", "🙂"]
        let texts = (0..<60).map { _ in
            String(
                (0..<Int.random(in: 0...6, using: &chance)).map { _ in
                    letters.randomElement(using: &chance) ?? "a"
                })
        }
        let byKey = texts.sorted { compare(key($0), key($1)) < 0 }
        let byBytes = texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        #expect(byKey.map { Array($0.utf8) } == byBytes.map { Array($0.utf8) }, "seed \(seed)")
        for text in texts {
            let bytes = key(text)
            let back = bytes.withUnsafeBytes { RunKey.text($0, count: bytes.count) }
            #expect(back == text, "seed \(seed)")
        }
    }
}
