/// An ES256 signature: on the wire r and s as 32 bytes each (RFC 7518 §3.4), for OpenSSL a DER
/// sequence of two integers (RFC 3279 §2.2.3).
struct ES256Signature {
    private static let integerByteCount = 32
    /// 2 header bytes and twice 2 + 33.
    private static let maximumDERByteCount = 72

    private var storage: [72 of UInt8] = .init(repeating: 0)
    private var count = 2

    /// Nil unless `raw` has exactly 64 bytes: a DER signature is not ES256.
    init?(raw: [UInt8]) {
        guard raw.count == CompactJWS.signatureByteCount else { return nil }
        append(raw[..<ES256Signature.integerByteCount])
        append(raw[ES256Signature.integerByteCount...])
        storage[0] = 0x30
        storage[1] = UInt8(count - 2)
    }

    /// Appends an unsigned big-endian integer in its only DER form (X.690 §8.3.2).
    private mutating func append(_ integer: ArraySlice<UInt8>) {
        var digits = integer.drop { $0 == 0 }
        if digits.isEmpty { digits = integer.suffix(1) }
        let needsZero = (digits.first ?? 0) & 0x80 != 0
        put(0x02)
        put(UInt8(digits.count + (needsZero ? 1 : 0)))
        if needsZero { put(0) }
        for byte in digits { put(byte) }
    }

    private mutating func put(_ byte: UInt8) {
        storage[count] = byte
        count += 1
    }

    func withDER<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        assert(count <= ES256Signature.maximumDERByteCount)
        let count = count
        return withUnsafeBytes(of: storage) { bytes in
            body(UnsafeBufferPointer(rebasing: bytes.bindMemory(to: UInt8.self)[..<count]))
        }
    }

    /// Raw form of a DER signature made by OpenSSL; nil if it is not one.
    static func raw(der: [UInt8]) -> [UInt8]? {
        guard der.count > 6, der[0] == 0x30, Int(der[1]) == der.count - 2 else { return nil }
        var result: [UInt8] = []
        var index = 2
        for _ in 0..<2 {
            guard index + 2 <= der.count, der[index] == 0x02 else { return nil }
            let end = index + 2 + Int(der[index + 1])
            guard end <= der.count else { return nil }
            let digits = der[(index + 2)..<end].drop { $0 == 0 }
            guard digits.count <= integerByteCount else { return nil }
            result.append(contentsOf: repeatElement(0, count: integerByteCount - digits.count))
            result.append(contentsOf: digits)
            index = end
        }
        return index == der.count ? result : nil
    }
}
