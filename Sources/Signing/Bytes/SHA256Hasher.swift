public import AppStore
internal import COpenSSL

/// An incremental SHA-256. A value type: a copy continues independently.
public struct SHA256Hasher: Sendable {
    private var context = SHA256_CTX()

    /// An empty hasher.
    public init() {
        let initialised = SHA256_Init(&context)
        precondition(initialised == 1, "SHA256_Init cannot fail")
    }

    /// Appends bytes to the message.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress, bytes.count > 0 else { return }
        SHA256_Update(&context, base, bytes.count)
    }

    /// Appends bytes to the message.
    public mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// Appends bytes to the message.
    public mutating func update(_ bytes: UnsafeBufferPointer<UInt8>) {
        update(UnsafeRawBufferPointer(bytes))
    }

    /// Appends one byte: a tag or domain separator.
    public mutating func update(_ byte: UInt8) {
        withUnsafeBytes(of: byte) { update($0) }
    }

    /// Appends the 32 bytes of a digest.
    public mutating func update(_ digest: Digest) {
        let words = digest.words
        let bigEndian = (
            words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian
        )
        withUnsafeBytes(of: bigEndian) { update($0) }
    }

    /// Appends an integer as eight big-endian bytes.
    public mutating func update(bigEndian value: UInt64) {
        withUnsafeBytes(of: value.bigEndian) { update($0) }
    }

    /// The digest of all bytes so far; more may be appended afterwards.
    public func finish() -> Digest {
        var context = context
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        withUnsafeMutableBytes(of: &words) { bytes in
            let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            let finished = SHA256_Final(start, &context)
            precondition(finished == 1, "SHA256_Final cannot fail")
        }
        return Digest(
            words: (
                UInt64(bigEndian: words.0), UInt64(bigEndian: words.1),
                UInt64(bigEndian: words.2), UInt64(bigEndian: words.3)
            ))
    }
}
