public import AppStore

/// A verified notification with every nested part.
public struct VerifiedNotification: Sendable {
    /// The decoded payload.
    public let payload: NotificationPayload
    /// The signed bytes, including nested parts.
    public let signed: SignedBytes
    /// Nil if the notification has none, or one that is the literal `null`.
    public let transaction: VerifiedTransaction?
    /// Nil if the notification has none.
    public let renewal: VerifiedRenewal?
    /// Nil if the notification has none, or one that is the literal `null`.
    public let appTransaction: VerifiedAppTransaction?
    /// The date at which the outer chain was checked (`Lifecycle.md` §1).
    public let effectiveDate: Timestamp
    /// Trust anchor of the signature.
    public let trust: EvidenceTrust
    /// The chain, for the revocation check; nil for local data.
    public let chain: VerifiedCertificateChain?

    /// Of the first part that names one; nil if none does.
    public var environment: Raw<Environment>? { environments.first }

    var environments: [Raw<Environment>] {
        [
            payload.environment, transaction?.payload.environment,
            renewal?.payload?.environment, appTransaction?.payload.receiptType,
        ].compactMap { $0 }
    }

    /// The signed payload, including nested parts.
    public var payloadBytes: [UInt8] { signed.payload }
    /// SHA-256 of the root the chain ends in; nil for local data.
    public var rootFingerprint: Digest? { trust.rootFingerprint }
}
