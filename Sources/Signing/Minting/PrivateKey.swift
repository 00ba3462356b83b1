internal import AppStore
internal import COpenSSL

/// A private key for signing: of the throw-away authority, or the API key of App Store Connect.
///
/// Unchecked Sendable because the EVP_PKEY is immutable after `init` and every signature uses its
/// own context (EVP_PKEY_sign(3)). Its description has no key material, so it cannot be logged by
/// accident.
package final class PrivateKey: @unchecked Sendable, CustomStringConvertible {
    let handle: OpaquePointer
    /// The curve the key is on.
    package let curve: Curve

    /// A new key from the operating system's random source.
    package init(generating curve: Curve) throws(MintingError) {
        guard let key = ErrorQueue.contained({ subledger_generate_ec(curve.rawValue) }) else {
            throw MintingError(.refused)
        }
        handle = key
        self.curve = curve
    }

    /// Reads a `.p8` file: one unencrypted PKCS#8 key in PEM (RFC 5958, RFC 7468 §10).
    package init(pem: [UInt8]) throws(MintingError) {
        let loaded: OpaquePointer? = pem.withUnsafeBytes { text in
            ErrorQueue.contained { PrivateKey.read(text) }
        }
        guard let loaded else { throw MintingError(.unreadableKey) }
        guard let curve = Curve.allCases.first(where: { PrivateKey.isKey(loaded, on: $0) }) else {
            EVP_PKEY_free(loaded)
            throw MintingError(.wrongCurve)
        }
        handle = loaded
        self.curve = curve
    }

    deinit { EVP_PKEY_free(handle) }

    /// States only the curve.
    package var description: String { "private key on \(curve.rawValue)" }

    /// The longest PEM read: a P-384 key has about 350 bytes.
    private static let maximumPEMByteCount = 16_384

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

    /// The key as unencrypted PKCS#8 in PEM, for tests and new keys only.
    package func pem() throws(MintingError) -> [UInt8] {
        let text: [UInt8]? = ErrorQueue.contained {
            guard let memory = BIO_new(BIO_s_mem()) else { return nil }
            defer { BIO_free(memory) }
            guard PEM_write_bio_PKCS8PrivateKey(memory, handle, nil, nil, 0, nil, nil) == 1 else {
                return nil
            }
            var start: UnsafeMutablePointer<CChar>?
            let count = subledger_bio_memory(memory, &start)
            guard let start, count > 0 else { return nil }
            return UnsafeRawBufferPointer(start: start, count: count).map { $0 }
        }
        guard let text else { throw MintingError(.refused) }
        return text
    }

    /// SubjectPublicKeyInfo as DER (RFC 5280 §4.1.2.7).
    package var publicKeyInfo: [UInt8] {
        let count = i2d_PUBKEY(handle, nil)
        guard count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: Int(count)) { target, written in
            var next = target.baseAddress
            written = Int(max(0, i2d_PUBKEY(handle, &next)))
        }
    }

    /// Signs the SHA-256 of `message` for ES256: r and s, 32 bytes each (RFC 7518 §3.4).
    package func signES256(_ message: [UInt8]) throws(MintingError) -> [UInt8] {
        guard curve == .p256 else { throw MintingError(.wrongCurve) }
        let der = try sign(digest: SHA256.hash(message).bytes)
        guard let raw = ES256Signature.raw(der: der) else { throw MintingError(.refused) }
        return raw
    }

    /// A DER signature over a digest computed by the caller.
    package func sign(digest: [UInt8]) throws(MintingError) -> [UInt8] {
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
        guard let signature else { throw MintingError(.refused) }
        return signature
    }
}
