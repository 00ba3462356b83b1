internal import COpenSSL
internal import Signing

/// An RSA private key of the throw-away authority that signs receipts.
///
/// Unchecked Sendable because the EVP_PKEY is immutable after `init` and every signature uses its
/// own context (EVP_PKEY_sign(3)). Its description has no key material, so it cannot be logged by
/// accident.
final class RSAPrivateKey: MintingKey, @unchecked Sendable, CustomStringConvertible {
    let handle: OpaquePointer
    /// Length of the modulus.
    let bitCount: Int

    /// A new key from the operating system's random source; Apple's have 2048 bits.
    init(generatingBitCount bitCount: Int = 2048) throws(SigningError) {
        guard let key = ErrorQueue.contained({ subledger_generate_rsa(UInt32(bitCount)) }) else {
            throw SigningError(.refused)
        }
        handle = key
        self.bitCount = bitCount
    }

    deinit { EVP_PKEY_free(handle) }

    /// States only the length.
    var description: String { "RSA private key of \(bitCount) bits" }
}
