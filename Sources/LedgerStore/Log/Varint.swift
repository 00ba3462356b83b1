/// Unsigned integers in seven-bit groups, least significant first; the high bit means that more
/// follow. The framing of packed evidence. At most ten bytes.
package enum Varint {
    package static func append(_ value: Int, to bytes: inout [UInt8]) {
        precondition(value >= 0, "Lengths and ids are never negative.")
        var rest = UInt64(value)
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}
