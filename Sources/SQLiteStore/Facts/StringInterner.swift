internal import Ledger

/// String-interning cache, keyed by the encoded number or bytes. The facts of a chain repeat its
/// ids, products and account token; sharing them saves most of the cost of creating strings.
///
/// Small direct-mapped tables: a new text may evict another, and a miss creates the string. Not
/// Sendable: each walk over facts has its own.
final class StringInterner {
    // Manually allocated instead of arrays, since every store into a class's array is checked.
    private let numbers = UnsafeMutableBufferPointer<Numbered>.allocate(
        capacity: StringInterner.slotCount)
    private let texts = UnsafeMutableBufferPointer<String>.allocate(
        capacity: StringInterner.slotCount)

    private let shorts = UnsafeMutableBufferPointer<Short>.allocate(
        capacity: StringInterner.slotCount)

    private struct Numbered {
        let number: UInt64
        let text: String
    }

    /// A text of at most sixteen bytes, identified by its first and last bytes, which cover it.
    private struct Short {
        let first: UInt64
        let last: UInt64
        let count: Int
        let text: String
    }

    init() {
        numbers.initialize(repeating: Numbered(number: 0, text: "0"))
        texts.initialize(repeating: "")
        shorts.initialize(repeating: Short(first: 0, last: 0, count: 0, text: ""))
    }

    deinit {
        numbers.deinitialize().deallocate()
        texts.deinitialize().deallocate()
        shorts.deinitialize().deallocate()
    }

    /// A power of two, larger than the number of ids that one chain's facts repeat.
    static let slotCount = 64
    /// Longer texts are allocated on the heap and worth sharing; shorter ones are stored inline,
    /// where only validating their bytes again has a cost.
    private static let inlineByteCount = 15

    /// The digits of a number.
    func decimal(_ number: UInt64) -> String {
        let slot = StringInterner.slot(number)
        if numbers[slot].number == number { return numbers[slot].text }
        let text = StringInterner.digits(number)
        numbers[slot] = Numbered(number: number, text: text)
        return text
    }

    /// The text of the bytes, with invalid UTF-8 repaired.
    func text(_ bytes: UnsafeRawBufferPointer) -> String {
        guard bytes.count > StringInterner.inlineByteCount else { return shortText(bytes) }
        let first = bytes.loadUnaligned(as: UInt64.self)
        let last = bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
        let slot = StringInterner.slot(first ^ last &* 31)
        let isSame = texts[slot].withUTF8 { utf8 in
            utf8.count == bytes.count
                && RunOrder.compare(UnsafeRawBufferPointer(utf8), bytes) == 0
        }
        if isSame { return texts[slot] }
        texts[slot] = String(decoding: bytes, as: UTF8.self)
        return texts[slot]
    }

    private func shortText(_ bytes: UnsafeRawBufferPointer) -> String {
        let (first, last) = StringInterner.ends(bytes)
        let slot = StringInterner.slot(first ^ last &* 31)
        if shorts[slot].count == bytes.count, shorts[slot].first == first,
            shorts[slot].last == last
        {
            return shorts[slot].text
        }
        let text = String(decoding: bytes, as: UTF8.self)
        shorts[slot] = Short(first: first, last: last, count: bytes.count, text: text)
        return text
    }

    /// The first and the last bytes of a short text; with its length, they identify it.
    private static func ends(_ bytes: UnsafeRawBufferPointer) -> (first: UInt64, last: UInt64) {
        func end<RenewalSignal: FixedWidthInteger>(_ type: RenewalSignal.Type) -> (UInt64, UInt64) {
            let behind = bytes.count - MemoryLayout<RenewalSignal>.size
            return (
                UInt64(bytes.loadUnaligned(as: type)),
                UInt64(bytes.loadUnaligned(fromByteOffset: behind, as: type))
            )
        }
        switch bytes.count {
        case 0: return (0, 0)
        case 1: return end(UInt8.self)
        case 2...3: return end(UInt16.self)
        case 4...7: return end(UInt32.self)
        default: return end(UInt64.self)
        }
    }

    private static func slot(_ value: UInt64) -> Int {
        Int(truncatingIfNeeded: (value &* 0x9E37_79B9_7F4A_7C15) >> 58)
    }

    /// The digits of a number. Most texts read are ids, and `String.init` is slower.
    static func digits(_ number: UInt64) -> String {
        var (rest, count) = (number, 1)
        while rest >= 10 {
            rest /= 10
            count += 1
        }
        return String(unsafeUninitializedCapacity: count) { digits in
            var rest = number
            for index in stride(from: count - 1, through: 0, by: -1) {
                digits[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
            return count
        }
    }
}
