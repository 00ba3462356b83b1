internal import AppStore

/// The three certificates of a header's `x5c`, as DER, in Apple's order (JWSDecodedHeader),
/// unverified.
struct PresentedCertificateChain: Sendable {
    let leaf: [UInt8]
    let intermediate: [UInt8]
    let root: [UInt8]
    let rootFingerprint: Digest

    /// SHA-256 over both certificates' lengths and bytes and the root's fingerprint: the cache key
    /// of the verified chain.
    var key: Digest {
        var hasher = SHA256Hasher()
        for certificate in [leaf, intermediate] {
            hasher.update(bigEndian: UInt64(certificate.count))
            hasher.update(certificate)
        }
        hasher.update(rootFingerprint)
        return hasher.finish()
    }
}
