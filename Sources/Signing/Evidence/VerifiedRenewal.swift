public import AppStore

/// A verified renewal info. It names no app, so it is meaningful only with the transaction or
/// notification it came with.
public struct VerifiedRenewal: Sendable {
    /// Nil if Apple signed the literal `null`, which states nothing.
    public let payload: RenewalPayload?
    /// The signed payload.
    public let payloadBytes: [UInt8]
    /// The date at which the chain was checked (`lifecycle.md` §1).
    public let effectiveDate: Timestamp
    /// Trust anchor of the signature.
    public let trust: EvidenceTrust
    /// The chain, for the revocation check; nil for local data.
    public let chain: VerifiedChain?

    init(payload: RenewalPayload?, jws: VerifiedJWS, effectiveDate: Timestamp) {
        self.payload = payload
        self.effectiveDate = effectiveDate
        payloadBytes = jws.payload
        trust = EvidenceTrust(jws)
        chain = jws.chain
    }

    /// SHA-256 of the root the chain ends in; nil for local data.
    public var rootFingerprint: Digest? { trust.rootFingerprint }
    /// Whether the chain ends in Apple's own root.
    public var usesAppleRoot: Bool { trust.usesAppleRoot }
}
