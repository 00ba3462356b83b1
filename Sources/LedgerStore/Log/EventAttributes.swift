public import AppStore
public import Ledger

/// What the log stores of an event besides its evidence, as the intake read it from the verified
/// payload. The leaf hash covers every attribute.
public struct EventAttributes: Hashable, Sendable {
    public var kind: EventKind
    public var source: EventSource
    public var trust: Trust
    public var bundleId: BundleId
    /// The chain the event belongs to; nil for none (TEST, sweeps).
    public var chain: OriginalTransactionId?
    /// `notificationType` and `subtype` as on the wire, known to this release or not.
    public var notificationType: String?
    public var subtype: String?
    public var notificationUUID: NotificationUUID?
    /// The envelope's `signedDate`, else the largest inside it (`Lifecycle.md` §2 rule 1).
    public var signedAt: Timestamp?
    /// SHA-256 of the root certificate that anchors the signature.
    public var rootFingerprint: Digest?

    public init(
        kind: EventKind, source: EventSource, trust: Trust, bundleId: BundleId,
        chain: OriginalTransactionId? = nil, notificationType: String? = nil,
        subtype: String? = nil, notificationUUID: NotificationUUID? = nil,
        signedAt: Timestamp? = nil, rootFingerprint: Digest? = nil
    ) {
        self.kind = kind
        self.source = source
        self.trust = trust
        self.bundleId = bundleId
        self.chain = chain
        self.notificationType = notificationType
        self.subtype = subtype
        self.notificationUUID = notificationUUID
        self.signedAt = signedAt
        self.rootFingerprint = rootFingerprint
    }
    /// The chain with its app.
    public var chainId: ChainId? {
        chain.map { ChainId(bundleId: bundleId, originalTransactionId: $0) }
    }
}
