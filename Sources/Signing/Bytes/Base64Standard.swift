/// Base64 with `+/` and padding (RFC 4648 §4), strictly canonical: the form of the certificates
/// in a header's `x5c` (RFC 7515 §4.1.6) and of an app receipt.
public enum Base64Standard {
    /// The decoded bytes, or nil unless `text` is canonical.
    public static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        Base64.decode(text, alphabet: .standard)
    }

    /// The decoded bytes, or nil unless `text` is canonical.
    public static func decode(_ text: [UInt8]) -> [UInt8]? {
        text.withUnsafeBufferPointer { decode($0) }
    }

    /// The canonical text of `bytes`.
    public static func encode(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBufferPointer { Base64.encode($0, alphabet: .standard) }
    }
}
