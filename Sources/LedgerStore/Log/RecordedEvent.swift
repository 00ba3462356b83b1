public import AppStore
internal import Ledger

/// One row of the log. Immutable: all readers of one position see the same row.
public struct RecordedEvent: Hashable, Sendable {
    /// 1…n, contiguous, in commit order.
    public let position: Int64
    public let key: Digest
    public let attributes: EventAttributes
    public let receivedAt: Timestamp
    /// Whether an import line stated `receivedAt`.
    public let receivedAtClaimed: Bool
    /// The key of the earlier event with the same identity and other claims; usually nil. Such an
    /// event is a conflict: reported, and folded like any other.
    public let identity: Digest?
    /// SHA-256 of the decoded payload (see `PreparedEvidence.payloadHash`).
    public let payloadHash: Digest
    /// SHA-256 of the evidence as it was received.
    public let evidenceHash: Digest
    /// RFC 6962 leaf hash; together with a position it forms a checkpoint that stays valid across
    /// restores.
    public private(set) var leafHash: Digest
    /// Whether the row holds invalid values: unreadable columns are empty or hold placeholders.
    /// Only readers that request such rows receive them (`DamagedRows.marked`).
    public let isDamaged: Bool

    public var isConflict: Bool { identity != nil }

    /// Whether `receivedAt` is when Apple's delivery arrived. Of an import that did not state it,
    /// it is when the import was read.
    public var isArrivalKnown: Bool { attributes.source != .import || receivedAtClaimed }

    /// - Parameter leafHash: as stored; nil for a new row, which gets the one it should have.
    package init(
        position: Int64, key: Digest, attributes: EventAttributes, receivedAt: Timestamp,
        receivedAtClaimed: Bool, identity: Digest?, payloadHash: Digest, evidenceHash: Digest,
        leafHash: Digest? = nil, isDamaged: Bool = false
    ) {
        self.position = position
        self.key = key
        self.attributes = attributes
        self.receivedAt = receivedAt
        self.receivedAtClaimed = receivedAtClaimed
        self.identity = identity
        self.payloadHash = payloadHash
        self.evidenceHash = evidenceHash
        self.leafHash = leafHash ?? Digest(words: (0, 0, 0, 0))
        self.isDamaged = isDamaged
        if leafHash == nil { self.leafHash = computedLeafHash() }
    }

    /// Throws the error that `corrupt` makes of a sentence for a damaged row, unless such rows are
    /// requested, and for one that does not follow `last`: a paging reader could loop.
    package func requireReadable(
        after last: Int64, _ damaged: DamagedRows, corrupt: (String) -> StoreError
    ) throws(StoreError) {
        guard !isDamaged || damaged == .marked else {
            throw corrupt("Row \(position) holds an unknown value.")
        }
        guard position > last else { throw corrupt("Row \(position) is out of order.") }
    }
}
