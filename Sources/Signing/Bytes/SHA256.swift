public import AppStore
internal import COpenSSL

/// SHA-256 (FIPS 180-4), the only digest of the log, its keys and its tree.
///
/// The low-level functions are used rather than `EVP_Digest`: they need no allocation and no
/// lookup, and the many small inputs of a Merkle tree are dominated by both.
public enum SHA256 {
    /// The digest of `bytes`.
    public static func hash(_ bytes: UnsafeRawBufferPointer) -> Digest {
        var hasher = SHA256Hasher()
        hasher.update(bytes)
        return hasher.finish()
    }

    /// The digest of `bytes`.
    public static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> Digest {
        hash(UnsafeRawBufferPointer(bytes))
    }

    /// The digest of `bytes`.
    public static func hash(_ bytes: [UInt8]) -> Digest {
        bytes.withUnsafeBytes { hash($0) }
    }

    /// The digest of the pieces one after the other, without separators: the caller frames them.
    public static func hash(pieces: [[UInt8]]) -> Digest {
        var hasher = SHA256Hasher()
        for piece in pieces { hasher.update(piece) }
        return hasher.finish()
    }

    /// The digest of two digests after one prefix byte: an inner node of a Merkle tree
    /// (RFC 6962 §2.1), without any allocation.
    public static func hash(prefix: UInt8, _ left: Digest, _ right: Digest) -> Digest {
        var hasher = SHA256Hasher()
        hasher.update(prefix)
        hasher.update(left)
        hasher.update(right)
        return hasher.finish()
    }
}
