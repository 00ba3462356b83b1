internal import AppStore
internal import Ledger

/// Reads what `FactWriter` wrote. Every read is bounds-checked: stored bytes may be damaged.
struct FactReader {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    /// Stored bytes that no writer of this version made.
    struct Damage: Error {}

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { offset == bytes.count }

    mutating func byte() throws(Damage) -> UInt8 {
        guard offset < bytes.count else { throw Damage() }
        defer { offset += 1 }
        return bytes[offset]
    }

    mutating func unsigned() throws(Damage) -> UInt64 {
        let first = try byte()
        if first & 0x80 == 0 { return UInt64(first) }
        return try unsigned(first)
    }

    /// The rest of a number of several bytes.
    private mutating func unsigned(_ first: UInt8) throws(Damage) -> UInt64 {
        var value = UInt64(first & 0x7F)
        var shift: UInt64 = 7
        while shift < 64 {
            let part = try byte()
            value |= UInt64(part & 0x7F) << shift
            if part & 0x80 == 0 { return value }
            shift += 7
        }
        throw Damage()
    }

    mutating func signed() throws(Damage) -> Int64 {
        let value = try unsigned()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    mutating func text() throws(Damage) -> String { try text(count: unsigned()) }

    mutating func optionalText() throws(Damage) -> String? {
        let count = try unsigned()
        return count == 0 ? nil : try text(count: count - 1)
    }

    private mutating func text(count: UInt64) throws(Damage) -> String {
        guard count <= UInt64(bytes.count - offset) else { throw Damage() }
        let end = offset + Int(count)
        defer { offset = end }
        return String(decoding: bytes[offset..<end], as: UTF8.self)
    }

    mutating func optionalSigned() throws(Damage) -> Int64? {
        try byte() == 0 ? nil : try signed()
    }

    mutating func date(from base: Int64) throws(Damage) -> Timestamp? {
        guard let difference = try optionalSigned() else { return nil }
        return Timestamp(milliseconds: base &+ difference)
    }

    mutating func id() throws(Damage) -> String? {
        switch try byte() {
        case 0: return nil
        case 1: return FactReader.decimal(try unsigned())
        case 2: return try text()
        default: throw Damage()
        }
    }

    /// The digits of a number. Ids are most of what is read, and `String.init` goes a long way.
    private static func decimal(_ number: UInt64) -> String {
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

    mutating func digest() throws(Damage) -> Digest {
        guard bytes.count - offset >= Digest.byteCount else { throw Damage() }
        let start = offset
        offset += Digest.byteCount
        func word(_ index: Int) -> UInt64 {
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: start + index, as: UInt64.self))
        }
        return Digest(words: (word(0), word(8), word(16), word(24)))
    }

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
