internal import AppStore
internal import Foundation

/// The order of keys in sorted runs: bytewise, a prefix before any longer key, as in SQLite's
/// BINARY collation (https://www.sqlite.org/datatype3.html#collation).
enum RunOrder {
    static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        let common = min(left.count, right.count)
        if common > 0, let one = left.baseAddress, let two = right.baseAddress {
            let order = memcmp(one, two, common)
            if order != 0 { return Int(order) }
        }
        return left.count - right.count
    }
}

extension [UInt8] {
    /// As `withUnsafeBytes`, through which typed throws do not pass.
    @inline(__always)
    func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBufferPointer { (bytes) throws(Failure) in
            try body(UnsafeRawBufferPointer(bytes))
        }
    }
}

/// Builds keys whose byte order equals the order of their parts.
enum RunKey {
    /// Text, then a terminator that sorts before every continuation. A NUL inside is escaped.
    static func append(_ text: String, to key: inout [UInt8]) {
        text.lendingUTF8 { utf8 in
            if utf8.contains(0) {
                for byte in utf8 {
                    key.append(byte)
                    if byte == 0 { key.append(0xFF) }
                }
            } else {
                key.append(contentsOf: utf8)
            }
        }
        key.append(0)
    }

    /// A signed number in sortable form: sign bit flipped, big-endian.
    static func append(_ value: Int64, to key: inout [UInt8]) {
        let biased = UInt64(bitPattern: value) ^ (1 << 63)
        withUnsafeBytes(of: biased.bigEndian) { key.append(contentsOf: $0) }
    }

    /// The number that begins at `offset`.
    static func int64(_ key: UnsafeRawBufferPointer, at offset: Int) -> Int64 {
        let biased = UInt64(bigEndian: key.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        return Int64(bitPattern: biased ^ (1 << 63))
    }

    /// A small number, big-endian.
    static func append(part value: UInt16, to key: inout [UInt8]) {
        withUnsafeBytes(of: value.bigEndian) { key.append(contentsOf: $0) }
    }

    /// The small number that begins at `offset`.
    static func uint16(_ key: UnsafeRawBufferPointer, at offset: Int) -> Int64 {
        Int64(UInt16(bigEndian: key.loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
    }

    /// The text of `key`'s first `count` bytes, which end with the terminator.
    static func text(_ key: UnsafeRawBufferPointer, count: Int) -> String {
        withText(key, count: count) { String(decoding: $0, as: UTF8.self) }
    }

    /// Passes the bytes of that text to `body`.
    static func withText<Result>(
        _ key: UnsafeRawBufferPointer, count: Int, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        let bytes = UnsafeRawBufferPointer(rebasing: key[0..<max(0, count - 1)])
        guard bytes.contains(0) else { return body(bytes) }
        var plain: [UInt8] = []
        var index = 0
        while index < bytes.count {
            plain.append(bytes[index])
            index += bytes[index] == 0 ? 2 : 1
        }
        return plain.withUnsafeBytes(body)
    }
}
