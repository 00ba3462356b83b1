public import AppStore

/// One row of the log. Immutable: two readers of one position always see the same.
public struct RecordedEvent: Hashable, Sendable {
    /// 1…n, contiguous, in commit order.
    public let position: Int64
    public let key: Digest
    public let attributes: EventAttributes
    public let receivedAt: Timestamp
    /// True when an import line stated `receivedAt`.
    public let receivedAtClaimed: Bool
    /// The key of the earlier event with the same identity and other claims; nil for most. Such an
    /// event is a conflict: reported, and folded like any other.
    public let identity: Digest?
    /// SHA-256 of the decoded payload (see `PreparedEvidence.payloadHash`).
    public let payloadHash: Digest
    /// SHA-256 of the evidence as it was received.
    public let evidenceHash: Digest
    /// RFC 6962 leaf hash; beside a position it makes a checkpoint that survives restores.
    public let leafHash: Digest
    /// Whether the row holds values that make no sense: what could not be read of it is empty here,
    /// or what says least. Only readers that ask for such rows meet them (`DamagedRows.marked`).
    public let isDamaged: Bool

    public var isConflict: Bool { identity != nil }

    package init(
        position: Int64, key: Digest, attributes: EventAttributes, receivedAt: Timestamp,
        receivedAtClaimed: Bool, identity: Digest?, payloadHash: Digest, evidenceHash: Digest,
        leafHash: Digest, isDamaged: Bool = false
    ) {
        self.position = position
        self.key = key
        self.attributes = attributes
        self.receivedAt = receivedAt
        self.receivedAtClaimed = receivedAtClaimed
        self.identity = identity
        self.payloadHash = payloadHash
        self.evidenceHash = evidenceHash
        self.leafHash = leafHash
        self.isDamaged = isDamaged
    }
}
