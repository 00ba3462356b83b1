/// Base64url without padding (RFC 7515 §2), strictly canonical: no whitespace, no padding, unused
/// trailing bits zero. `encode(decode(text)) == text` for every accepted text.
public enum Base64URL {
    /// The decoded bytes, or nil unless `text` is canonical.
    public static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        Base64.decode(text, alphabet: .url)
    }

    /// The decoded bytes, or nil unless `text` is canonical.
    public static func decode(_ text: [UInt8]) -> [UInt8]? {
        text.withUnsafeBufferPointer { decode($0) }
    }

    /// The canonical text of `bytes`.
    public static func encode(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        Base64.encode(bytes, alphabet: .url)
    }

    /// The canonical text of `bytes`.
    public static func encode(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBufferPointer { encode($0) }
    }
}
