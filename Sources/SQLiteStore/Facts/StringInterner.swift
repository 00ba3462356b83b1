/// String-interning cache, keyed by the encoded number or bytes. The facts of a chain repeat its
/// ids, products and account token; sharing them saves most of the cost of creating strings.
///
/// Small direct-mapped tables: a new text may evict another, and a miss creates the string. Not
/// Sendable: each walk over facts has its own.
final class StringInterner {
    private var numbers = Array(
        repeating: (number: UInt64(0), text: "0"), count: StringInterner.slotCount)
    private var texts = Array(repeating: "", count: StringInterner.slotCount)

    /// A power of two, larger than the number of ids that one chain's facts repeat.
    static let slotCount = 64
    /// Longer texts are allocated on the heap and worth sharing; shorter ones are stored inline.
    private static let inlineByteCount = 15

    func decimal(_ number: UInt64) -> String {
        let slot = StringInterner.slot(number)
        if numbers[slot].number == number { return numbers[slot].text }
        let text = String(number)
        numbers[slot] = (number, text)
        return text
    }

    /// The text of the bytes, with invalid UTF-8 repaired.
    func text(_ bytes: UnsafeRawBufferPointer) -> String {
        guard bytes.count > StringInterner.inlineByteCount else {
            return String(decoding: bytes, as: UTF8.self)
        }
        let first = bytes.loadUnaligned(as: UInt64.self)
        let last = bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
        let slot = StringInterner.slot(first ^ last &* 31)
        let isSame = texts[slot].withUTF8 { utf8 in
            RunOrder.compare(UnsafeRawBufferPointer(utf8), bytes) == 0
        }
        if isSame { return texts[slot] }
        texts[slot] = String(decoding: bytes, as: UTF8.self)
        return texts[slot]
    }

    private static func slot(_ value: UInt64) -> Int {
        Int(truncatingIfNeeded: (value &* 0x9E37_79B9_7F4A_7C15) >> 58)
    }
}
