/// Byte-level operations shared by reader, writer and identifiers.
///
/// The eight-byte steps use the usual zero-byte test: subtracting one from every byte borrows
/// through the high bit exactly where a byte was zero. The lowest set bit is always a true match;
/// only higher ones may be false.
@usableFromInline
enum Bytes {
    @usableFromInline static let ones: UInt64 = 0x0101_0101_0101_0101
    @usableFromInline static let highs: UInt64 = 0x8080_8080_8080_8080

    /// High bits of the bytes of `word` that end or interrupt a run inside a JSON string: quote,
    /// backslash, control. Only the lowest is exact.
    @inline(__always)
    static func stops(_ word: UInt64) -> UInt64 {
        let quote = word ^ (ones &* 0x22)
        let backslash = word ^ (ones &* 0x5C)
        let quotes = (quote &- ones) & ~quote
        let backslashes = (backslash &- ones) & ~backslash
        let controls = (word &- (ones &* 0x20)) & ~word
        return (quotes | backslashes | controls) & highs
    }

    /// Eight bytes from `start`, first byte lowest. They must exist.
    @inlinable @inline(__always)
    static func word(_ start: UnsafePointer<UInt8>) -> UInt64 {
        UInt64(littleEndian: UnsafeRawPointer(start).loadUnaligned(as: UInt64.self))
    }

    @inlinable @inline(__always)
    static func equal(
        _ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, count: Int
    ) -> Bool {
        var index = 0
        while index + 8 <= count {
            if word(left + index) != word(right + index) { return false }
            index += 8
        }
        while index < count {
            if left[index] != right[index] { return false }
            index += 1
        }
        return true
    }

    /// Negative, zero or positive as `left` sorts before, with or after `right`, as unsigned bytes.
    @inlinable
    static func compare(
        _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
    ) -> Int {
        let shared = min(left.count, right.count)
        guard shared > 0, let first = left.baseAddress, let second = right.baseAddress else {
            return left.count - right.count
        }
        var index = 0
        while index + 8 <= shared {
            let (one, two) = (word(first + index).byteSwapped, word(second + index).byteSwapped)
            if one != two { return one < two ? -1 : 1 }
            index += 8
        }
        while index < shared {
            let (one, two) = (first[index], second[index])
            if one != two { return one < two ? -1 : 1 }
            index += 1
        }
        return left.count - right.count
    }
}

extension String {
    /// Passes the UTF-8 storage without a copy or retain, unlike `withUTF8` on a copy; only a
    /// string without native UTF-8 storage is copied.
    @inlinable @inline(__always)
    package func lendingUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
        var copy = self
        return copy.withUTF8(body)
    }
}

extension UInt8 {
    /// Whether it is an ASCII letter or digit, or one of `others`.
    @inlinable package func isAlphanumeric(or others: String = "") -> Bool {
        switch self {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: others.utf8.contains(self)
        }
    }
}
