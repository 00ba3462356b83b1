public import AppStore

/// An event to be appended: verified, keyed and packed, but without a position.
public struct NewEvent: Sendable {
    /// SHA-256 over kind and Apple's own ids (`Log.md` §2); see `EventKey`.
    public var key: Digest
    public var attributes: EventAttributes
    /// When the delivery arrived. Raised to the newest time in the log unless claimed.
    public var receivedAt: Timestamp
    /// Whether an import line stated `receivedAt`: it is then kept unchanged, and marked.
    public var receivedAtClaimed: Bool
    public var evidence: PreparedEvidence

    public init(
        key: Digest, attributes: EventAttributes, receivedAt: Timestamp,
        receivedAtClaimed: Bool = false, evidence: PreparedEvidence
    ) {
        self.key = key
        self.attributes = attributes
        self.receivedAt = receivedAt
        self.receivedAtClaimed = receivedAtClaimed
        self.evidence = evidence
    }
}
