public import AppStore
internal import COpenSSL

/// SHA-256 (FIPS 180-4), the only digest of the log, its keys and its tree.
///
/// Uses the low-level functions instead of `EVP_Digest`: they need no allocation and no algorithm
/// look-up, which dominate for the many small inputs of a Merkle tree.
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

    /// The digest of the concatenated pieces; without separators, so the caller must frame them.
    public static func hash(pieces: [[UInt8]]) -> Digest {
        var hasher = SHA256Hasher()
        for piece in pieces { hasher.update(piece) }
        return hasher.finish()
    }

    /// The digest of one prefix byte and two digests: an inner node of a Merkle tree (RFC 6962
    /// §2.1), without allocation.
    public static func hash(prefix: UInt8, _ left: Digest, _ right: Digest) -> Digest {
        var hasher = SHA256Hasher()
        hasher.update(prefix)
        hasher.update(left)
        hasher.update(right)
        return hasher.finish()
    }
}
