internal import COpenSSL

/// An RSA private key of the throw-away authority that signs receipts.
///
/// Unchecked Sendable because the EVP_PKEY is immutable after `init` and every signature uses its
/// own context (EVP_PKEY_sign(3)). Its description has no key material, so it cannot be logged by
/// accident.
package final class RSAPrivateKey: @unchecked Sendable, CustomStringConvertible {
    let handle: OpaquePointer
    /// Length of the modulus.
    package let bitCount: Int

    /// A new key from the operating system's random source; Apple's have 2048 bits.
    package init(generatingBitCount bitCount: Int = 2048) throws(MintingError) {
        guard let key = ErrorQueue.contained({ subledger_generate_rsa(UInt32(bitCount)) }) else {
            throw MintingError(.refused)
        }
        handle = key
        self.bitCount = bitCount
    }

    deinit { EVP_PKEY_free(handle) }

    /// States only the length.
    package var description: String { "RSA private key of \(bitCount) bits" }

    /// SubjectPublicKeyInfo as DER (RFC 5280 §4.1.2.7).
    package var publicKeyInfo: [UInt8] {
        let count = i2d_PUBKEY(handle, nil)
        guard count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: Int(count)) { target, written in
            var next = target.baseAddress
            written = Int(max(0, i2d_PUBKEY(handle, &next)))
        }
    }
}
