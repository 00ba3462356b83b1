public import AppStore

/// A chain with valid signatures and form, and the data needed of it afterwards. Validity at a date
/// is checked for each use: one chain serves evidence of many years.
public final class VerifiedCertificateChain: Sendable {
    /// The time in which all three certificates are valid.
    public let window: ValidityWindow
    /// SHA-256 of the root the chain ends in.
    public let rootFingerprint: Digest
    /// SHA-256 over leaf, intermediate and `rootFingerprint`: identifies the chain in caches.
    public let fingerprint: Digest
    /// Leaf, intermediate and root as DER, for the revocation step.
    public let leaf: [UInt8]
    /// See `leaf`.
    public let intermediate: [UInt8]
    /// See `leaf`.
    public let root: [UInt8]
    let leafKey: VerificationKey

    init(presented: PresentedCertificateChain, window: ValidityWindow, leafKey: VerificationKey) {
        self.window = window
        self.leafKey = leafKey
        rootFingerprint = presented.rootFingerprint
        fingerprint = presented.key
        leaf = presented.leaf
        intermediate = presented.intermediate
        root = presented.root
    }
}
