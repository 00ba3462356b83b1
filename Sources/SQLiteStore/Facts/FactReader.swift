internal import AppStore

/// Reads the format of `FactWriter`. Every read is bounds-checked, since stored bytes may be
/// damaged.
struct FactReader {
    private let bytes: UnsafeRawBufferPointer
    private let recent: StringInterner?
    private var offset = 0

    /// Stored bytes that no writer of this version produced.
    struct Damage: Error {}

    /// - Parameter recent: a cache of texts from earlier facts, which this one may share.
    init(_ bytes: UnsafeRawBufferPointer, recent: StringInterner? = nil) {
        self.bytes = bytes
        self.recent = recent
    }

    var isAtEnd: Bool { offset == bytes.count }

    @inline(__always)
    mutating func byte() throws(Damage) -> UInt8 {
        guard offset < bytes.count else { throw Damage() }
        defer { offset += 1 }
        return bytes[offset]
    }

    /// Most numbers are one byte: that case is inlined at every call.
    @inline(__always)
    mutating func unsigned() throws(Damage) -> UInt64 {
        guard offset < bytes.count else { throw Damage() }
        let first = bytes[offset]
        if first & 0x80 == 0 {
            offset += 1
            return UInt64(first)
        }
        return try longUnsigned()
    }

    /// A number of several bytes.
    private mutating func longUnsigned() throws(Damage) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        var next = offset
        while shift < 64, next < bytes.count {
            let part = bytes[next]
            next += 1
            value |= UInt64(part & 0x7F) << shift
            if part & 0x80 == 0 {
                offset = next
                return value
            }
            shift += 7
        }
        throw Damage()
    }

    /// Eight bytes, little-endian.
    @inline(__always)
    mutating func word() throws(Damage) -> Int64 {
        guard bytes.count - offset >= MemoryLayout<Int64>.size else { throw Damage() }
        defer { offset += MemoryLayout<Int64>.size }
        return Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int64.self))
    }

    @inline(__always)
    mutating func signed() throws(Damage) -> Int64 {
        let value = try unsigned()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    mutating func text() throws(Damage) -> String { try text(count: unsigned()) }

    @inline(__always)
    mutating func optionalText() throws(Damage) -> String? {
        let count = try unsigned()
        return count == 0 ? nil : try text(count: count - 1)
    }

    /// Skips a text; returns nil whatever its value.
    mutating func skipOptionalText<Value>() throws(Damage) -> Value? {
        let count = try unsigned()
        guard count > 0 else { return nil }
        guard count - 1 <= UInt64(bytes.count - offset) else { throw Damage() }
        offset += Int(count - 1)
        return nil
    }

    private mutating func text(count: UInt64) throws(Damage) -> String {
        guard count <= UInt64(bytes.count - offset) else { throw Damage() }
        let end = offset + Int(count)
        defer { offset = end }
        let text = UnsafeRawBufferPointer(rebasing: bytes[offset..<end])
        return recent?.text(text) ?? String(decoding: text, as: UTF8.self)
    }

    @inline(__always)
    mutating func optionalSigned() throws(Damage) -> Int64? {
        try byte() == 0 ? nil : try signed()
    }

    /// Numbers that `FactWriter.differences` wrote.
    mutating func differences() throws(Damage) -> [Int64] {
        var values: [Int64] = []
        var last: Int64 = 0
        for _ in 0..<(try unsigned()) {
            last = last &+ (try signed())
            values.append(last)
        }
        return values
    }

    mutating func date(from base: Int64) throws(Damage) -> Timestamp? {
        guard let difference = try optionalSigned() else { return nil }
        return Timestamp(milliseconds: base &+ difference)
    }

    mutating func id() throws(Damage) -> String? {
        switch try byte() {
        case 0: return nil
        case 1:
            let number = try unsigned()
            return recent?.decimal(number) ?? String(number)
        case 2: return try text()
        default: throw Damage()
        }
    }

    mutating func digest() throws(Damage) -> Digest {
        guard bytes.count - offset >= Digest.byteCount else { throw Damage() }
        defer { offset += Digest.byteCount }
        return Digest(
            stored: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Digest.byteCount]))
    }

    @inline(__always)
    mutating func optionalBool() throws(Damage) -> Bool? {
        switch try byte() {
        case 0: return nil
        case 1: return false
        case 2: return true
        default: throw Damage()
        }
    }

    mutating func raw<Value>(_ table: [Value]) throws(Damage) -> Raw<Value>?
    where Value.RawValue == String {
        switch try unsigned() {
        case 0: return nil
        case 1: return Raw(rawValue: try text())
        case let place:
            guard place - 2 < UInt64(table.count) else { throw Damage() }
            return Raw(table[Int(place - 2)])
        }
    }

    mutating func raw<Value>() throws(Damage) -> Raw<Value>? where Value.RawValue == Int64 {
        try optionalSigned().map { Raw(rawValue: $0) }
    }

    mutating func element<Value>(of table: [Value]) throws(Damage) -> Value {
        let place = try byte()
        guard Int(place) < table.count else { throw Damage() }
        return table[Int(place)]
    }
}
