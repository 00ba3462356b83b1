package import AppStore
internal import COpenSSL

/// A P-256 public key that verifies ES256 (RFC 7518 §3.4) with EVP_PKEY_verify(3).
///
/// Unchecked Sendable because nothing in it changes after `init`: an EVP_PKEY is immutable once
/// loaded, and `context` is only ever the source of EVP_PKEY_CTX_dup(3), which reads it and counts
/// references atomically. Every verification works on its own duplicate, so there is no lock.
///
/// Measured with OpenSSL 3.0 on one busy core, per signature: ECDSA_do_verify on a shared EC_KEY
/// 77 µs, EVP_PKEY_verify with a context made afresh 85, with one context kept 76, with a
/// duplicate 74.
package final class VerificationKey: @unchecked Sendable {
    private let key: OpaquePointer
    private let context: OpaquePointer

    /// SubjectPublicKeyInfo of every uncompressed key on the named curve P-256, up to the point's
    /// coordinates (RFC 5480 §2). Explicit curve parameters, other curves and compressed points
    /// begin otherwise and are refused.
    private static let prefix: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08,
        0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
    ]
    private static let infoByteCount = 91

    /// Nil unless `publicKeyInfo` is a point on P-256 in the form of `prefix`.
    package init?(publicKeyInfo: [UInt8]) {
        guard publicKeyInfo.count == VerificationKey.infoByteCount,
            publicKeyInfo.starts(with: VerificationKey.prefix),
            // Decoding checks that the point is on the curve.
            let loaded = DER.decoded(publicKeyInfo, { d2i_PUBKEY(nil, $0, $1) })
        else { return nil }
        guard let context = EVP_PKEY_CTX_new(loaded, nil) else {
            EVP_PKEY_free(loaded)
            return nil
        }
        guard EVP_PKEY_verify_init(context) == 1 else {
            EVP_PKEY_CTX_free(context)
            EVP_PKEY_free(loaded)
            return nil
        }
        key = loaded
        self.context = context
    }

    deinit {
        EVP_PKEY_CTX_free(context)
        EVP_PKEY_free(key)
    }

    /// Whether `signature` (r and s, 32 bytes each) is this key's over `digest`. OpenSSL refuses
    /// r and s outside 1…n−1.
    package func isValid(_ signature: [UInt8], over digest: Digest) -> Bool {
        guard let encoded = ES256Signature(raw: signature) else { return false }
        return ErrorQueue.contained {
            guard let duplicate = EVP_PKEY_CTX_dup(context) else { return false }
            defer { EVP_PKEY_CTX_free(duplicate) }
            let words = digest.words
            let message = (
                words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian
            )
            return withUnsafeBytes(of: message) { message in
                EVP_PKEY_verify(
                    duplicate, encoded.der, encoded.der.count,
                    message.baseAddress?.assumingMemoryBound(to: UInt8.self), message.count) == 1
            }
        }
    }
}
