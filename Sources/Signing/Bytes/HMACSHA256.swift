public import AppStore
internal import COpenSSL

/// HMAC with SHA-256 (RFC 2104): what an outgoing webhook is signed with.
public enum HMACSHA256 {
    /// The code of the pieces one after the other, without separators: the caller frames them.
    public static func code(_ pieces: [[UInt8]], key: [UInt8]) -> Digest {
        // Piece by piece, not byte by byte: one may have four million.
        let message = pieces.count == 1 ? pieces[0] : pieces.reduce(into: []) { $0 += $1 }
        var code = [UInt8](repeating: 0, count: Digest.byteCount)
        var count: UInt32 = 0
        let made = key.withUnsafeBytes { key in
            HMAC(
                EVP_sha256(), key.baseAddress, Int32(key.count), message, message.count, &code,
                &count)
        }
        // Fails only where memory or the digest itself is missing.
        guard made != nil, let digest = Digest(bytes: code) else {
            preconditionFailure("HMAC with SHA-256 cannot fail")
        }
        return digest
    }
}
