/// Base64 in canonical form only: every byte string has exactly one text, and any other text is
/// rejected (RFC 4648 §3.3, §3.5). Otherwise two spellings of one signature would be different
/// evidence, and a changed character could go unnoticed.
enum Base64 {
    /// The decoded bytes, or nil unless `text` is canonical.
    static func decode(_ text: UnsafeBufferPointer<UInt8>, alphabet: Base64Alphabet) -> [UInt8]? {
        guard let digits = digitCount(of: text, alphabet: alphabet) else { return nil }
        let groups = digits / 4
        let remainder = digits % 4
        guard remainder != 1 else { return nil }
        let byteCount = groups * 3 + (remainder == 0 ? 0 : remainder - 1)
        guard byteCount > 0, let source = text.baseAddress else { return [] }
        var failure: UInt32 = 0
        // Groups are stored as eight bytes of which six count, hence the slack.
        let result = [UInt8](unsafeUninitializedCapacity: byteCount + 8) { target, count in
            guard let start = target.baseAddress else { return }
            alphabet.values.withUnsafeBufferPointer { table in
                guard let values = table.baseAddress else { return }
                failure = decodeGroups(source, groups, into: start, values: values)
                failure |= decodeTail(
                    source + groups * 4, remainder, into: start + groups * 3, values: values)
            }
            count = byteCount
        }
        return failure & Base64Alphabet.illegal == 0 ? result : nil
    }

    /// The canonical text of `bytes`.
    static func encode(_ bytes: UnsafeBufferPointer<UInt8>, alphabet: Base64Alphabet) -> [UInt8] {
        let textCount = textCount(of: bytes.count, alphabet: alphabet)
        guard textCount > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: textCount) { target, count in
            guard let start = target.baseAddress, let source = bytes.baseAddress else { return }
            let groups = bytes.count / 3
            alphabet.pairs.withUnsafeBufferPointer { pairs in
                guard let table = pairs.baseAddress else { return }
                encodeGroups(source, groups, into: start, pairs: table)
                encodeTail(
                    source + groups * 3, bytes.count % 3, into: start + groups * 4, pairs: table,
                    isPadded: alphabet.isPadded)
            }
            count = textCount
        }
    }

    /// Length of the canonical text of `byteCount` bytes.
    private static func textCount(of byteCount: Int, alphabet: Base64Alphabet) -> Int {
        let remainder = byteCount % 3
        guard remainder > 0 else { return byteCount / 3 * 4 }
        return byteCount / 3 * 4 + (alphabet.isPadded ? 4 : remainder + 1)
    }

    /// The number of characters before the padding, or nil if the padding is not canonical.
    private static func digitCount(
        of text: UnsafeBufferPointer<UInt8>, alphabet: Base64Alphabet
    ) -> Int? {
        guard alphabet.isPadded else { return text.count }
        guard text.count % 4 == 0 else { return nil }
        let padding = UInt8(ascii: "=")
        guard let last = text.last, last == padding else { return text.count }
        return text[text.count - 2] == padding ? text.count - 2 : text.count - 1
    }

    private static func decodeGroups(
        _ source: UnsafePointer<UInt8>, _ groups: Int, into target: UnsafeMutablePointer<UInt8>,
        values: UnsafePointer<UInt32>
    ) -> UInt32 {
        var failure: UInt32 = 0
        var read = source
        var write = UnsafeMutableRawPointer(target)
        for _ in 0..<(groups / 2) {
            let first = group(read, values)
            let second = group(read + 4, values)
            failure |= first | second
            let word = UInt64(first) << 40 | UInt64(second) << 16
            write.storeBytes(of: word.bigEndian, as: UInt64.self)
            read += 8
            write += 6
        }
        if groups % 2 == 1 {
            let last = group(read, values)
            failure |= last
            write.storeBytes(of: (last << 8).bigEndian, as: UInt32.self)
        }
        return failure
    }

    @inline(__always)
    private static func group(
        _ source: UnsafePointer<UInt8>, _ values: UnsafePointer<UInt32>
    ) -> UInt32 {
        values[Int(source[0])] | values[256 + Int(source[1])] | values[512 + Int(source[2])]
            | values[768 + Int(source[3])]
    }

    /// Decodes a final group of two or three characters into one or two bytes; unused bits must be
    /// zero.
    private static func decodeTail(
        _ source: UnsafePointer<UInt8>, _ remainder: Int,
        into target: UnsafeMutablePointer<UInt8>, values: UnsafePointer<UInt32>
    ) -> UInt32 {
        guard remainder > 0 else { return 0 }
        var value = values[Int(source[0])] | values[256 + Int(source[1])]
        if remainder == 3 { value |= values[512 + Int(source[2])] }
        target[0] = UInt8(truncatingIfNeeded: value >> 16)
        if remainder == 3 { target[1] = UInt8(truncatingIfNeeded: value >> 8) }
        let unused: UInt32 = remainder == 2 ? 0xFFFF : 0xFF
        return value & unused == 0 ? value : Base64Alphabet.illegal
    }

    private static func encodeGroups(
        _ source: UnsafePointer<UInt8>, _ groups: Int, into target: UnsafeMutablePointer<UInt8>,
        pairs: UnsafePointer<UInt16>
    ) {
        var read = source
        var write = UnsafeMutableRawPointer(target)
        for _ in 0..<groups {
            let value = Int(read[0]) << 16 | Int(read[1]) << 8 | Int(read[2])
            let text = UInt32(pairs[value >> 12]) | UInt32(pairs[value & 0xFFF]) << 16
            write.storeBytes(of: text.littleEndian, as: UInt32.self)
            read += 3
            write += 4
        }
    }

    private static func encodeTail(
        _ source: UnsafePointer<UInt8>, _ remainder: Int,
        into target: UnsafeMutablePointer<UInt8>, pairs: UnsafePointer<UInt16>, isPadded: Bool
    ) {
        guard remainder > 0 else { return }
        let value = Int(source[0]) << 16 | (remainder == 2 ? Int(source[1]) << 8 : 0)
        let first = pairs[value >> 12]
        let second = pairs[value & 0xFFF]
        target[0] = UInt8(truncatingIfNeeded: first)
        target[1] = UInt8(truncatingIfNeeded: first >> 8)
        if remainder == 2 { target[2] = UInt8(truncatingIfNeeded: second) }
        guard isPadded else { return }
        if remainder == 1 { target[2] = UInt8(ascii: "=") }
        target[3] = UInt8(ascii: "=")
    }
}
