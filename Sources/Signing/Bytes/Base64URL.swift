/// Base64url without padding (RFC 7515 §2), strictly canonical: no whitespace, no padding, unused
/// trailing bits zero. `encode(decode(text)) == text` for every text that is accepted.
public enum Base64URL {
    /// The bytes `text` stands for, or nil when it is not canonical base64url.
    public static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        Base64.decode(text, alphabet: .url)
    }

    /// The bytes `text` stands for, or nil when it is not canonical base64url.
    public static func decode(_ text: [UInt8]) -> [UInt8]? {
        text.withUnsafeBufferPointer { decode($0) }
    }

    /// The one text that stands for `bytes`.
    public static func encode(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        Base64.encode(bytes, alphabet: .url)
    }

    /// Writes the one text that stands for `bytes` to memory of `capacity(forByteCount:)`; how many
    /// characters it has.
    package static func encode(
        _ bytes: UnsafeRawBufferPointer, into target: UnsafeMutablePointer<UInt8>
    ) -> Int {
        bytes.withMemoryRebound(to: UInt8.self) {
            Base64.encode($0, into: target, alphabet: .url)
        }
    }

    /// Memory that encoding so many bytes needs.
    package static func capacity(forByteCount byteCount: Int) -> Int {
        Base64.textCount(of: byteCount, alphabet: .url)
    }

    /// The one text that stands for `bytes`.
    public static func encode(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBufferPointer { encode($0) }
    }
}
