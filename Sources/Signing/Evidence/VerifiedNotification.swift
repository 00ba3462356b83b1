public import AppStore

/// A notification that is believed, with every signed part inside it.
public struct VerifiedNotification: Sendable {
    /// The decoded payload.
    public let payload: NotificationPayload
    /// The bytes that were signed, nested parts included.
    public let signed: SignedBytes
    /// Nil when the notification carries none, or one that signs the literal `null`.
    public let transaction: VerifiedTransaction?
    /// Nil when the notification carries none.
    public let renewal: VerifiedRenewal?
    /// Nil when the notification carries none, or one that signs the literal `null`.
    public let appTransaction: VerifiedAppTransaction?
    /// The date the outer chain was checked at (`lifecycle.md` §1).
    public let effectiveDate: Timestamp
    /// On whose word it is believed.
    public let trust: EvidenceTrust
    /// What the revocation step needs; nil for local data.
    public let chain: VerifiedChain?

    /// The payload as it was signed, nested parts included.
    public var payloadBytes: [UInt8] { signed.payload }
    /// SHA-256 of the root the chain ends in; nil for local data.
    public var rootFingerprint: Digest? { trust.rootFingerprint }
    /// Whether the chain ends in Apple's own root.
    public var usesAppleRoot: Bool { trust.usesAppleRoot }
}
