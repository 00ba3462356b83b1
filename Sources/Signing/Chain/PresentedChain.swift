internal import AppStore

/// The three certificates of a header's `x5c`, as DER, in Apple's order (JWSDecodedHeader).
/// Nothing about them is believed.
struct PresentedChain: Sendable {
    let leaf: [UInt8]
    let intermediate: [UInt8]
    let root: [UInt8]
    let rootFingerprint: Digest

    /// SHA-256 over both certificates' lengths and bytes and the root's fingerprint: what a
    /// verified chain is found by.
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
