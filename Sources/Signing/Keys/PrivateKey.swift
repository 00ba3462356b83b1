internal import AppStore
internal import COpenSSL

/// A private key for signing: the API key of App Store Connect.
///
/// Unchecked Sendable because the EVP_PKEY is immutable after `init` and every signature uses its
/// own context (EVP_PKEY_sign(3)). Its description has no key material, so it cannot be logged by
/// accident.
package final class PrivateKey: @unchecked Sendable, CustomStringConvertible {
    /// The EVP_PKEY of OpenSSL.
    package let handle: OpaquePointer
    /// The curve the key is on.
    package let curve: Curve

    /// Takes ownership of the caller's reference to an EVP_PKEY on `curve`.
    package init(takingOwnershipOf handle: OpaquePointer, on curve: Curve) {
        self.handle = handle
        self.curve = curve
    }

    /// Reads a `.p8` file: one unencrypted PKCS#8 key in PEM (RFC 5958, RFC 7468 §10).
    package init(pem: [UInt8]) throws(SigningError) {
        let loaded: OpaquePointer? = pem.withUnsafeBytes { text in
            ErrorQueue.contained { PrivateKey.read(text) }
        }
        guard let loaded else { throw SigningError(.unreadableKey) }
        guard let curve = Curve.allCases.first(where: { PrivateKey.isKey(loaded, on: $0) }) else {
            EVP_PKEY_free(loaded)
            throw SigningError(.wrongCurve)
        }
        handle = loaded
        self.curve = curve
    }

    deinit { EVP_PKEY_free(handle) }

    /// States only the curve.
    package var description: String { "private key on \(curve.rawValue)" }

    /// The longest PEM read: a P-384 key has about 350 bytes.
    package static let maximumPEMByteCount = 16_384

    private static func read(_ text: UnsafeRawBufferPointer) -> OpaquePointer? {
        guard text.count <= maximumPEMByteCount,
            let memory = BIO_new_mem_buf(text.baseAddress, Int32(text.count))
        else { return nil }
        defer { BIO_free(memory) }
        // Without a password callback OpenSSL would prompt on the terminal; return "none".
        return PEM_read_bio_PrivateKey(memory, nil, { _, _, _, _ in -1 }, nil)
    }

    private static func isKey(_ key: OpaquePointer, on curve: Curve) -> Bool {
        var name = [CChar](repeating: 0, count: 64)
        var count = 0
        guard EVP_PKEY_get_group_name(key, &name, name.count, &count) == 1 else { return false }
        return name.prefix(count).elementsEqual(curve.groupName.utf8.map { CChar($0) })
    }

    /// Signs the SHA-256 of `message` for ES256: r and s, 32 bytes each (RFC 7518 §3.4).
    package func signES256(_ message: [UInt8]) throws(SigningError) -> [UInt8] {
        guard curve == .p256 else { throw SigningError(.wrongCurve) }
        let der = try sign(digest: SHA256.hash(message).bytes)
        guard let raw = ES256Signature.raw(der: der) else { throw SigningError(.refused) }
        return raw
    }

    /// A DER signature over a digest computed by the caller.
    package func sign(digest: [UInt8]) throws(SigningError) -> [UInt8] {
        let signature: [UInt8]? = ErrorQueue.contained {
            guard let context = EVP_PKEY_CTX_new(handle, nil) else { return nil }
            defer { EVP_PKEY_CTX_free(context) }
            var count = 0
            guard EVP_PKEY_sign_init(context) == 1,
                EVP_PKEY_sign(context, nil, &count, digest, digest.count) == 1
            else { return nil }
            var bytes = [UInt8](repeating: 0, count: count)
            guard EVP_PKEY_sign(context, &bytes, &count, digest, digest.count) == 1 else {
                return nil
            }
            return Array(bytes.prefix(count))
        }
        guard let signature else { throw SigningError(.refused) }
        return signature
    }
}
