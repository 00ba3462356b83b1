internal import AppStore

/// A parsed, unverified receipt: PKCS #7 signed data (RFC 2315 §9, RFC 5652 §5) with one signer and
/// its content.
///
/// Parsed by this project's own reader, with certificates left as bytes. OpenSSL's decoder
/// (d2i_CMS_ContentInfo, 3.0.19, one core) takes 480 to 580 µs for a genuine receipt, nearly all of
/// it for the three public keys, which are the same in millions of receipts; a signature costs 15
/// µs. Unknown certificates do go through OpenSSL: see `ReceiptCertificateChainPolicy`.
package struct ReceiptEnvelope: Sendable {
    /// The signed content: the payload.
    package let content: [UInt8]
    /// The certificates as received, in order.
    let certificates: [[UInt8]]
    /// The encoded identifier of the signer's certificate: issuer and serial number, or key
    /// identifier.
    let signer: [UInt8]
    package let digest: ReceiptDigest
    /// The signed attributes as signed, encoded as a SET (RFC 5652 §5.4); nil if the signature is
    /// over the content itself.
    package let signedAttributes: [UInt8]?
    package let signature: [UInt8]

    /// Most certificates in one receipt; genuine ones have three, Xcode's one.
    static let maximumCertificateCount = 8
    /// Most signed attributes; genuine receipts have none, those of other tools four.
    static let maximumSignedAttributeCount = 16
    /// Most bytes of signed attributes; four have about 150.
    static let maximumSignedAttributesByteCount = 8192

    /// The bytes of the content and of the certificates, without their headers.
    var knownByteCount: Int { certificates.reduce(content.count) { $0 + $1.count } }

    /// SHA-256 over the certificates and the signer's identifier: the cache key of the verified
    /// chain.
    var chainKey: Digest {
        var hasher = SHA256Hasher()
        for piece in certificates + [signer] {
            hasher.update(bigEndian: UInt64(piece.count))
            hasher.update(piece)
        }
        return hasher.finish()
    }

    /// Whether `key` made the signature over the content, directly or through attributes.
    func isSigned(by key: RSAVerificationKey) -> Bool {
        let contentDigest = digest.hash(content)
        guard let signedAttributes else {
            return key.isValid(signature, over: contentDigest, by: digest)
        }
        return SignedAttributes.name(contentDigest, in: signedAttributes)
            && key.isValid(signature, over: digest.hash(signedAttributes), by: digest)
    }
}
