internal import AppStore
internal import COpenSSL

/// The two digests of receipt signatures: SHA-1 until 2023, SHA-256 since (`Receipts.md`).
///
/// SHA-1 is not collision-resistant against an attacker who chooses both messages. Here it is only
/// compared with signatures that Apple made years ago over its own messages, for which a forger
/// would need a second preimage; rejecting it would reject every receipt before 2023.
package enum ReceiptDigest: Hashable, Sendable, CaseIterable {
    case sha1
    case sha256

    /// The algorithm's identifier, as DER contents (RFC 8017 appendix B.1).
    var identifier: [UInt8] {
        switch self {
        case .sha1: [0x2B, 0x0E, 0x03, 0x02, 0x1A]
        case .sha256: [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]
        }
    }

    /// The identifier of RSA signatures over this digest (RFC 8017 appendix A.2.4).
    var signatureIdentifier: [UInt8] {
        switch self {
        case .sha1: [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x05]
        case .sha256: [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0B]
        }
    }

    /// The identifier of RSA with the digest given in a separate field (RFC 3370 §3.2).
    static let rsaIdentifier: [UInt8] = [
        0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01,
    ]

    var byteCount: Int {
        switch self {
        case .sha1: Int(SHA_DIGEST_LENGTH)
        case .sha256: Int(SHA256_DIGEST_LENGTH)
        }
    }

    package func hash(_ bytes: [UInt8]) -> [UInt8] {
        switch self {
        case .sha1: SHA1Digest.hash(bytes)
        case .sha256: SHA256.hash(bytes).bytes
        }
    }

    /// OpenSSL's static method, never freed.
    var method: OpaquePointer? {
        switch self {
        case .sha1: EVP_sha1()
        case .sha256: EVP_sha256()
        }
    }
}
