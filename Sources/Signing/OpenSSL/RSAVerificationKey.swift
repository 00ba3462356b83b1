internal import COpenSSL

/// An RSA public key for verifying receipts: PKCS #1 v1.5 (RFC 8017 §8.2.2).
///
/// Unchecked Sendable because nothing in it changes after `init`: an EVP_PKEY is immutable once
/// loaded, and the prepared contexts are only sources of EVP_PKEY_CTX_dup, which reads them and
/// counts references atomically (EVP_PKEY_CTX_dup(3)).
final class RSAVerificationKey: @unchecked Sendable {
    /// The shortest accepted modulus; every receipt's signer so far has exactly this.
    static let minimumBitCount: Int32 = 2048
    /// The longest accepted modulus, to bound the cost of a verification.
    static let maximumBitCount: Int32 = 4096

    private let key: OpaquePointer
    private let sha1: OpaquePointer
    private let sha256: OpaquePointer
    /// Bytes of a signature.
    let signatureByteCount: Int

    /// Nil unless the certificate's key is RSA of an accepted length.
    init?(of certificate: borrowing Certificate) {
        guard let key = X509_get_pubkey(certificate.handle) else { return nil }
        guard RSAVerificationKey.isStrong(key),
            let sha1 = RSAVerificationKey.context(key, .sha1)
        else {
            EVP_PKEY_free(key)
            return nil
        }
        guard let sha256 = RSAVerificationKey.context(key, .sha256) else {
            EVP_PKEY_CTX_free(sha1)
            EVP_PKEY_free(key)
            return nil
        }
        self.key = key
        self.sha1 = sha1
        self.sha256 = sha256
        signatureByteCount = Int(EVP_PKEY_get_size(key))
    }

    deinit {
        EVP_PKEY_CTX_free(sha256)
        EVP_PKEY_CTX_free(sha1)
        EVP_PKEY_free(key)
    }

    /// Whether a certificate's key is RSA of an accepted length.
    static func isStrong(_ certificate: borrowing Certificate) -> Bool {
        // The certificate keeps its reference.
        X509_get0_pubkey(certificate.handle).map { isStrong($0) } ?? false
    }

    private static func isStrong(_ key: OpaquePointer) -> Bool {
        EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA
            && (minimumBitCount...maximumBitCount).contains(EVP_PKEY_get_bits(key))
    }

    private static func context(_ key: OpaquePointer, _ digest: ReceiptDigest) -> OpaquePointer? {
        guard let context = EVP_PKEY_CTX_new(key, nil) else { return nil }
        guard EVP_PKEY_verify_init(context) == 1,
            EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1,
            EVP_PKEY_CTX_set_signature_md(context, digest.method) == 1
        else {
            EVP_PKEY_CTX_free(context)
            return nil
        }
        return context
    }

    /// Whether `signature` was made by this key over the digest `value` of type `digest`.
    func isValid(_ signature: [UInt8], over value: [UInt8], by digest: ReceiptDigest) -> Bool {
        guard signature.count == signatureByteCount, value.count == digest.byteCount else {
            return false
        }
        return ErrorQueue.contained {
            guard let context = EVP_PKEY_CTX_dup(digest == .sha1 ? sha1 : sha256) else {
                return false
            }
            defer { EVP_PKEY_CTX_free(context) }
            return EVP_PKEY_verify(context, signature, signature.count, value, value.count) == 1
        }
    }
}
