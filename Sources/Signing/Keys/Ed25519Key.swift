internal import COpenSSL

/// An Ed25519 public key (RFC 8032 §5.1), 32 bytes.
package struct Ed25519PublicKey: Hashable, Sendable {
    package let bytes: [UInt8]

    package static let byteCount = 32
    package static let signatureByteCount = 64

    /// Nil unless there are exactly 32 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Ed25519PublicKey.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Whether the key's owner signed the message (RFC 8032 §5.1.7), by OpenSSL.
    package func isValid(signature: [UInt8], of message: [UInt8]) -> Bool {
        guard signature.count == Ed25519PublicKey.signatureByteCount else { return false }
        return ErrorQueue.contained {
            guard let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, bytes, bytes.count)
            else { return false }
            defer { EVP_PKEY_free(key) }
            guard let context = EVP_MD_CTX_new() else { return false }
            defer { EVP_MD_CTX_free(context) }
            guard EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1 else { return false }
            return EVP_DigestVerify(
                context, signature, signature.count, message, message.count) == 1
        }
    }
}

/// An Ed25519 private key (RFC 8032 §5.1.5): its seed. Its description has no key material.
package struct Ed25519PrivateKey: Sendable, CustomStringConvertible {
    /// 32 random bytes, which determine the key.
    package let seed: [UInt8]
    package let publicKey: Ed25519PublicKey

    package static let seedByteCount = 32

    /// A new random key.
    package init() throws(SigningError) {
        var generator = SystemRandomNumberGenerator()
        try self.init(
            seed: (0..<Ed25519PrivateKey.seedByteCount).map { _ in
                UInt8.random(in: .min ... .max, using: &generator)
            })
    }

    /// Throws `unreadableKey` unless there are exactly 32 bytes.
    package init(seed: [UInt8]) throws(SigningError) {
        guard seed.count == Ed25519PrivateKey.seedByteCount else {
            throw SigningError(.unreadableKey)
        }
        let bytes: [UInt8]? = Ed25519PrivateKey.with(seed) { key in
            var bytes = [UInt8](repeating: 0, count: Ed25519PublicKey.byteCount)
            var count = bytes.count
            return EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1 ? bytes : nil
        }
        guard let publicKey = bytes.flatMap({ Ed25519PublicKey(bytes: $0) }) else {
            throw SigningError(.refused)
        }
        self.seed = seed
        self.publicKey = publicKey
    }

    package var description: String { "Ed25519 private key" }

    /// Signs a message (RFC 8032 §5.1.6): 64 bytes, equal for equal messages.
    package func sign(_ message: [UInt8]) throws(SigningError) -> [UInt8] {
        let signature: [UInt8]? = Ed25519PrivateKey.with(seed) { key in
            guard let context = EVP_MD_CTX_new() else { return nil }
            defer { EVP_MD_CTX_free(context) }
            var bytes = [UInt8](repeating: 0, count: Ed25519PublicKey.signatureByteCount)
            var count = bytes.count
            guard EVP_DigestSignInit(context, nil, nil, nil, key) == 1,
                EVP_DigestSign(context, &bytes, &count, message, message.count) == 1,
                count == bytes.count
            else { return nil }
            return bytes
        }
        guard let signature else { throw SigningError(.refused) }
        return signature
    }

    private static func with(
        _ seed: [UInt8], _ body: (OpaquePointer) -> [UInt8]?
    ) -> [UInt8]? {
        ErrorQueue.contained {
            guard let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count)
            else { return nil }
            defer { EVP_PKEY_free(key) }
            return body(key)
        }
    }
}
