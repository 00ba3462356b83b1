import AppStore
internal import COpenSSL
internal import Signing

/// A private key of a throw-away authority.
package protocol MintingKey {
    /// The EVP_PKEY of OpenSSL.
    var handle: OpaquePointer { get }
}

extension MintingKey {
    /// SubjectPublicKeyInfo as DER (RFC 5280 §4.1.2.7).
    package var publicKeyInfo: [UInt8] { DER.encoded { i2d_PUBKEY(handle, $0) } }

    /// 20 bytes of the key's SHA-256 (RFC 7093 §2 method 1).
    var identifier: [UInt8] { Array(SHA256.hash(publicKeyInfo).bytes.prefix(20)) }
}
