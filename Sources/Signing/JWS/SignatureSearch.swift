/// Finds what may be signatures inside a payload that nobody has verified yet: the JWS nested in a
/// notification end in them. Nothing is believed for being found, and nothing refused for not being:
/// it only says which inverses will be wanted (`SignatureInverses`).
enum SignatureSearch {
    /// A notification has two nested parts.
    static let maximumCount = 2
    /// Dots that are looked at, so that a payload full of them costs no more than another.
    static let maximumDotCount = 64
    /// 64 bytes in base64url without padding.
    private static let characterCount = 86

    /// The decoded signatures at the ends of strings, in their order.
    static func signatures(in payload: UnsafeBufferPointer<UInt8>) -> [[UInt8]] {
        var found: [[UInt8]] = []
        var start = 0
        for _ in 0..<maximumDotCount {
            let rest = UnsafeBufferPointer(rebasing: payload[start...])
            guard let dot = ByteSearch.firstIndex(of: UInt8(ascii: "."), in: rest) else { break }
            start += dot + 1
            let end = start + characterCount
            guard end < payload.count else { break }
            guard payload[end] == UInt8(ascii: "\"") else { continue }
            let text = UnsafeBufferPointer(rebasing: payload[start..<end])
            guard let signature = Base64URL.decode(text) else { continue }
            found.append(signature)
            guard found.count < maximumCount else { break }
            start = end
        }
        return found
    }
}
