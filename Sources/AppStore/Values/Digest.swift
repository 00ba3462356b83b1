/// A SHA-256 digest of 32 bytes. Computed in `Signing`; ordered as unsigned bytes.
public struct Digest: Hashable, Comparable, Sendable {
    /// The digest as four big-endian words, so that word order is byte order.
    public let words: (UInt64, UInt64, UInt64, UInt64)

    /// From four big-endian words.
    @inlinable
    public init(words: (UInt64, UInt64, UInt64, UInt64)) { self.words = words }

    /// Nil unless exactly 32 bytes are given.
    @inlinable
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Digest.byteCount else { return nil }
        var parts: [4 of UInt64] = [0, 0, 0, 0]
        var index = 0
        for byte in bytes {
            parts[index >> 3] = parts[index >> 3] << 8 | UInt64(byte)
            index += 1
        }
        words = (parts[0], parts[1], parts[2], parts[3])
    }

    /// Length of a SHA-256 digest.
    public static var byteCount: Int { 32 }

    /// In order, most significant first.
    public var bytes: [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(Digest.byteCount)
        for word in [words.0, words.1, words.2, words.3] {
            for shift in stride(from: 56, through: 0, by: -8) {
                result.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
            }
        }
        return result
    }

    /// Lower-case hexadecimal, 64 characters.
    public var hexadecimal: String {
        var text: [UInt8] = []
        text.reserveCapacity(2 * Digest.byteCount)
        appendHexadecimal(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    func appendHexadecimal(to text: inout [UInt8]) {
        let digits: StaticString = "0123456789abcdef"
        let words: [4 of UInt64] = [words.0, words.1, words.2, words.3]
        for place in words.indices {
            var shift: UInt64 = 64
            while shift > 0 {
                shift -= 4
                text.append(digits.utf8Start[Int(words[place] >> shift & 15)])
            }
        }
    }

    @inlinable
    public static func == (left: Digest, right: Digest) -> Bool { left.words == right.words }

    @inlinable
    public static func < (left: Digest, right: Digest) -> Bool { left.words < right.words }

    @inlinable
    public func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}
