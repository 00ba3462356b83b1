public import AppStore
internal import COpenSSL

/// HMAC with SHA-256 (RFC 2104), the signature of outgoing webhooks.
public enum HMACSHA256 {
    /// The code of the concatenated pieces; without separators, so the caller must frame them.
    public static func code(_ pieces: [[UInt8]], key: [UInt8]) -> Digest {
        // Appends whole pieces, which may have four million bytes.
        let message = pieces.count == 1 ? pieces[0] : pieces.reduce(into: []) { $0 += $1 }
        var code = [UInt8](repeating: 0, count: Digest.byteCount)
        var count: UInt32 = 0
        let made = key.withUnsafeBytes { key in
            HMAC(
                EVP_sha256(), key.baseAddress, Int32(key.count), message, message.count, &code,
                &count)
        }
        // Fails only if memory or the digest is unavailable.
        guard made != nil, let digest = Digest(bytes: code) else {
            preconditionFailure("HMAC with SHA-256 cannot fail")
        }
        return digest
    }
}
