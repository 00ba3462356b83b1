internal import AppStore

/// A receipt taken apart: the signed data of PKCS #7 (RFC 2315 §9, RFC 5652 §5), one signer, the
/// content inside. Nothing in it is believed.
///
/// Read by our own reader, with certificates left as bytes. OpenSSL's decoder (d2i_CMS_ContentInfo,
/// 3.0.19, one core) takes 480 to 580 µs for a genuine receipt, nearly all of it for the three
/// public keys, which are the same in millions of receipts; a signature costs 15 µs. Certificates
/// that were not seen before do go through OpenSSL: see `ReceiptChainPolicy`.
struct ReceiptEnvelope: Sendable {
    /// What was signed: the payload.
    let content: [UInt8]
    /// Each certificate as it came, in the order it came.
    let certificates: [[UInt8]]
    /// Issuer and serial number of the signer's certificate, or its key's identifier: the encoded
    /// element.
    let signer: [UInt8]
    let digest: ReceiptDigest
    /// The signed attributes' encoding as it was signed, as a SET (RFC 5652 §5.4); nil when the
    /// signature is over the content itself.
    let signedAttributes: [UInt8]?
    let signature: [UInt8]

    /// Certificates in one receipt at most; genuine ones have three, Xcode's one.
    static let maximumCertificateCount = 8
    /// Attributes of the signature at most; genuine ones have none, those of other tools four.
    static let maximumSignedAttributeCount = 16
    /// Their bytes at most; four have about 150.
    static let maximumSignedAttributesByteCount = 8192

    /// SHA-256 over the certificates and the signer's name: what a verified chain is found by.
    var chainKey: Digest {
        var hasher = SHA256Hasher()
        for piece in certificates + [signer] {
            hasher.update(bigEndian: UInt64(piece.count))
            hasher.update(piece)
        }
        return hasher.finish()
    }

    /// Whether the signature is `key`'s over the content, directly or through attributes.
    func isSigned(by key: RSAVerificationKey) -> Bool {
        let contentDigest = digest.hash(content)
        guard let signedAttributes else {
            return key.isValid(signature, over: contentDigest, by: digest)
        }
        return SignedAttributes.name(contentDigest, in: signedAttributes)
            && key.isValid(signature, over: digest.hash(signedAttributes), by: digest)
    }
}
