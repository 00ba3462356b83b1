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

    /// Writes the canonical text of `bytes` to memory of `capacity(forByteCount:)` and returns the
    /// number of characters.
    package static func encode(
        _ bytes: UnsafeRawBufferPointer, into target: UnsafeMutablePointer<UInt8>
    ) -> Int {
        bytes.withMemoryRebound(to: UInt8.self) {
            Base64.encode($0, into: target, alphabet: .url)
        }
    }

    /// Size of the memory needed to encode `byteCount` bytes.
    package static func capacity(forByteCount byteCount: Int) -> Int {
        Base64.textCount(of: byteCount, alphabet: .url)
    }

    /// The canonical text of `bytes`.
    public static func encode(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBufferPointer { encode($0) }
    }
}
