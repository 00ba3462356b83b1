internal import COpenSSL

/// An RSA public key for verifying receipts: PKCS #1 v1.5 (RFC 8017 §8.2.2).
///
/// Unchecked Sendable because an EVP_PKEY is immutable once loaded, and every verification has a
/// context of its own (EVP_PKEY_verify(3)).
package final class RSAVerificationKey: @unchecked Sendable {
    /// The shortest accepted modulus; every receipt's signer so far has exactly this.
    static let minimumBitCount: Int32 = 2048
    /// The longest accepted modulus, to bound the cost of a verification.
    static let maximumBitCount: Int32 = 4096

    private let key: OpaquePointer
    /// Bytes of a signature.
    let signatureByteCount: Int

    /// Nil unless the certificate's key is RSA of an accepted length.
    init?(of certificate: borrowing Certificate) {
        guard let key = X509_get_pubkey(certificate.handle) else { return nil }
        guard RSAVerificationKey.isStrong(key) else {
            EVP_PKEY_free(key)
            return nil
        }
        self.key = key
        signatureByteCount = Int(EVP_PKEY_get_size(key))
    }

    deinit { EVP_PKEY_free(key) }

    /// Whether a certificate's key is RSA of an accepted length.
    static func isStrong(_ certificate: borrowing Certificate) -> Bool {
        // The certificate keeps its reference.
        X509_get0_pubkey(certificate.handle).map { isStrong($0) } ?? false
    }

    private static func isStrong(_ key: OpaquePointer) -> Bool {
        EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA
            && (minimumBitCount...maximumBitCount).contains(EVP_PKEY_get_bits(key))
    }

    /// Whether `signature` was made by this key over the digest `value` of type `digest`.
    package func isValid(
        _ signature: [UInt8], over value: [UInt8], by digest: ReceiptDigest
    ) -> Bool {
        guard signature.count == signatureByteCount, value.count == digest.byteCount else {
            return false
        }
        return ErrorQueue.contained {
            guard let context = EVP_PKEY_CTX_new(key, nil) else { return false }
            defer { EVP_PKEY_CTX_free(context) }
            return EVP_PKEY_verify_init(context) == 1
                && EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1
                && EVP_PKEY_CTX_set_signature_md(context, digest.method) == 1
                && EVP_PKEY_verify(context, signature, signature.count, value, value.count) == 1
        }
    }
}
