/// A cursor over packed evidence it does not own. Every read is bounds-checked, since stored bytes
/// may be damaged.
package struct PackedReader {
    let bytes: UnsafeRawBufferPointer
    package private(set) var index = 0

    package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { index == bytes.count }

    /// The next integer, or nil when the bytes end or it overflows.
    package mutating func readVarint() -> Int? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while index < bytes.count, shift < 63 {
            let byte = bytes[index]
            index += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value <= UInt64(Int.max) ? Int(value) : nil }
            shift += 7
        }
        return nil
    }

    /// A view of the next `count` bytes, or nil when fewer are left.
    mutating func readBytes(_ count: Int) -> UnsafeRawBufferPointer? {
        guard count >= 0, count <= bytes.count - index else { return nil }
        defer { index += count }
        return UnsafeRawBufferPointer(rebasing: bytes[index..<(index + count)])
    }
}
