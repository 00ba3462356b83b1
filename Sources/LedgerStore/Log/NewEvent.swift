public import AppStore
package import Ledger

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
    /// The row of another log that this repeats, where the row cannot be made again from the rest:
    /// of a conflict, and of a tombstone, whose leaf commits to what was erased.
    package var copied: RecordedEvent?
    /// Whether the evidence was erased.
    package private(set) var isTombstone = false

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

extension NewEvent {
    /// The event of a row that is copied.
    ///
    /// - Parameter packed: its evidence; nil: it is appended as a tombstone.
    package init(copying event: RecordedEvent, _ packed: PackedEvidence?) {
        self.init(
            key: event.identity ?? event.key, attributes: event.attributes,
            receivedAt: event.receivedAt, receivedAtClaimed: event.receivedAtClaimed,
            evidence: PreparedEvidence(
                packed: packed ?? PackedEvidence(form: .verbatim, headers: [], body: []),
                evidenceHash: event.evidenceHash, payloadHash: event.payloadHash,
                byteCount: packed?.storedByteCount ?? 0))
        if packed == nil || event.isConflict { copied = event }
        isTombstone = packed == nil
    }

    /// The event that carries an erasure.
    package init(
        _ erasure: Erasure, receivedAt: Timestamp, packer: EvidencePacker
    ) throws(StoreError) {
        self.init(
            key: EventKey.make(.erasure, [erasure.id]),
            attributes: EventAttributes(
                kind: .erasure, source: .operator, trust: .operator, bundleId: BundleId("")),
            receivedAt: receivedAt, evidence: try packer.pack(.verbatim(erasure.evidence)))
    }

    /// The row that it becomes at a position.
    ///
    /// - Parameter identity: the key it shares with another event; nil unless it is a conflict.
    package func row(
        at position: Int64, key: Digest, identity: Digest?, receivedAt: Timestamp
    ) -> RecordedEvent {
        RecordedEvent(
            position: position, key: key, attributes: attributes, receivedAt: receivedAt,
            receivedAtClaimed: receivedAtClaimed, identity: identity,
            payloadHash: evidence.payloadHash, evidenceHash: evidence.evidenceHash,
            leafHash: isTombstone ? copied?.leafHash : nil)
    }

    /// The positions that appending it erases; none unless it is an erasure that this release
    /// understands.
    package func erasedPositions() throws(StoreError) -> [Int64] {
        guard attributes.kind == .erasure else { return [] }
        return Erasure.positions(inEvidence: try evidence.packed.originalBytes()) ?? []
    }
}
