public import AppStore

/// A signed transaction that is believed.
public struct VerifiedTransaction: Sendable {
    /// The decoded payload.
    public let payload: TransactionPayload
    /// The bytes that were signed.
    public let signed: SignedBytes
    /// The date the chain was checked at (`lifecycle.md` §1).
    public let effectiveDate: Timestamp
    /// On whose word it is believed.
    public let trust: EvidenceTrust
    /// What the revocation step needs; nil for local data.
    public let chain: VerifiedChain?

    init(
        payload: TransactionPayload, jws: VerifiedJWS, effectiveDate: Timestamp
    ) {
        self.payload = payload
        self.effectiveDate = effectiveDate
        signed = jws.signed
        trust = EvidenceTrust(jws)
        chain = jws.chain
    }

    /// The payload as it was signed.
    public var payloadBytes: [UInt8] { signed.payload }
    /// SHA-256 of the root the chain ends in; nil for local data.
    public var rootFingerprint: Digest? { trust.rootFingerprint }
    /// Whether the chain ends in Apple's own root.
    public var usesAppleRoot: Bool { trust.usesAppleRoot }
}
