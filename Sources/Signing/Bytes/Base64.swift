/// Base64 in canonical form only: every byte string has exactly one text, and any other text is
/// rejected (RFC 4648 §3.3, §3.5). Otherwise two spellings of one signature would be different
/// evidence, and a changed character could go unnoticed.
public struct Base64: Sendable {
    /// With `+/` and obligatory padding (RFC 4648 §4): the form of the certificates in a header's
    /// `x5c` (RFC 7515 §4.1.6) and of an app receipt.
    public static let standard = Base64(last: "+/", isPadded: true)
    /// With `-_` and without padding (RFC 4648 §5), as in JWS (RFC 7515 §2).
    public static let url = Base64(last: "-_", isPadded: false)

    /// Value of a character outside the alphabet: a bit that no sum of legal values sets.
    private static let illegal: UInt32 = 0x8000_0000

    private let isPadded: Bool
    /// Four tables of 256: the value of a character in the first to fourth place of a group,
    /// already shifted, so that decoding a group takes three ORs.
    private let values: [UInt32]
    /// The two characters of every 12-bit value, in memory order.
    private let pairs: [UInt16]

    private init(last: String, isPadded: Bool) {
        self.isPadded = isPadded
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        let characters = Array((letters + last).utf8)
        var values = [UInt32](repeating: Base64.illegal, count: 1024)
        for (value, character) in characters.enumerated() {
            for place in 0..<4 {
                values[place * 256 + Int(character)] = UInt32(value) << UInt32(18 - 6 * place)
            }
        }
        self.values = values
        pairs = (0..<4096).map { value in
            UInt16(characters[value & 63]) << 8 | UInt16(characters[value >> 6])
        }
    }

    /// The decoded bytes, or nil unless `text` is canonical.
    public func decode(_ text: [UInt8]) -> [UInt8]? {
        text.withUnsafeBufferPointer { decode($0) }
    }

    public func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard let digits = digitCount(of: text) else { return nil }
        let groups = digits / 4
        let remainder = digits % 4
        guard remainder != 1 else { return nil }
        let byteCount = groups * 3 + (remainder == 0 ? 0 : remainder - 1)
        guard byteCount > 0, let source = text.baseAddress else { return [] }
        var failure: UInt32 = 0
        // Groups are stored as eight bytes of which six count, hence the slack.
        let result = [UInt8](unsafeUninitializedCapacity: byteCount + 8) { target, count in
            guard let start = target.baseAddress else { return }
            values.withUnsafeBufferPointer { table in
                guard let values = table.baseAddress else { return }
                failure = Base64.decodeGroups(source, groups, into: start, values: values)
                failure |= Base64.decodeTail(
                    source + groups * 4, remainder, into: start + groups * 3, values: values)
            }
            count = byteCount
        }
        return failure & Base64.illegal == 0 ? result : nil
    }

    /// The canonical text of `bytes`.
    public func encode(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBufferPointer { encode($0) }
    }

    public func encode(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        let textCount = textCount(of: bytes.count)
        guard textCount > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: textCount) { target, count in
            guard let start = target.baseAddress, let source = bytes.baseAddress else { return }
            let groups = bytes.count / 3
            pairs.withUnsafeBufferPointer { pairs in
                guard let table = pairs.baseAddress else { return }
                Base64.encodeGroups(source, groups, into: start, pairs: table)
                Base64.encodeTail(
                    source + groups * 3, bytes.count % 3, into: start + groups * 4, pairs: table,
                    isPadded: isPadded)
            }
            count = textCount
        }
    }

    /// Length of the canonical text of `byteCount` bytes.
    private func textCount(of byteCount: Int) -> Int {
        let remainder = byteCount % 3
        guard remainder > 0 else { return byteCount / 3 * 4 }
        return byteCount / 3 * 4 + (isPadded ? 4 : remainder + 1)
    }

    /// The number of characters before the padding, or nil if the padding is not canonical.
    private func digitCount(of text: UnsafeBufferPointer<UInt8>) -> Int? {
        guard isPadded else { return text.count }
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
        return value & unused == 0 ? value : Base64.illegal
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
