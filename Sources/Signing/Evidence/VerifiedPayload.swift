public import AppStore

/// A payload with a verified signature.
public struct VerifiedPayload<Payload: Sendable>: Sendable {
    /// The decoded payload.
    public let payload: Payload
    /// The signed bytes.
    public let signed: SignedBytes
    /// The date at which the chain was checked (`Lifecycle.md` §1).
    public let effectiveDate: Timestamp
    /// Trust anchor of the signature.
    public let trust: EvidenceTrust
    /// The chain, for the revocation check; nil for local data.
    public let chain: VerifiedCertificateChain?

    init(payload: Payload, jws: VerifiedJWS, effectiveDate: Timestamp) {
        self.payload = payload
        self.effectiveDate = effectiveDate
        signed = jws.signed
        trust = EvidenceTrust(jws)
        chain = jws.chain
    }

    /// The signed payload.
    public var payloadBytes: [UInt8] { signed.payload }
    /// SHA-256 of the root the chain ends in; nil for local data.
    public var rootFingerprint: Digest? { trust.rootFingerprint }
}

/// A verified transaction.
public typealias VerifiedTransaction = VerifiedPayload<TransactionPayload>

/// A verified AppTransaction.
public typealias VerifiedAppTransaction = VerifiedPayload<AppTransactionPayload>

/// A verified renewal info; its payload is nil if Apple signed the literal `null`, which states
/// nothing. It names no app, so it is meaningful only with the transaction or notification it came
/// with.
public typealias VerifiedRenewal = VerifiedPayload<RenewalPayload?>
