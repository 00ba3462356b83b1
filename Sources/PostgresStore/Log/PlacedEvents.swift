internal import AppStore
internal import Ledger
internal import LedgerStore

/// The rows of one transaction, placed in memory after the head row was locked.
struct PlacedEvents {
    private(set) var tree: CompactRange
    /// The newest unclaimed receivedAt. Claimed times are excluded: one in the future would raise
    /// every later time.
    private(set) var newestReceivedAt: Timestamp?
    private(set) var rows: [RecordedEvent] = []
    /// Nil for tombstones of a log that is copied.
    private(set) var evidence: [PackedEvidence?] = []
    /// Positions whose events become tombstones.
    private(set) var erased: [Int64] = []
    private var known: KnownEvents
    /// The stored evidence at a position; nil when it was erased or is damaged.
    private let stored: (Int64) throws -> PackedEvidence?

    init(
        after head: HeadRow, known: KnownEvents, stored: @escaping (Int64) throws -> PackedEvidence?
    ) {
        tree = head.tree
        newestReceivedAt = head.newestReceivedAt
        self.known = known
        self.stored = stored
    }

    /// Appends one event, or finds the existing event it repeats.
    mutating func place(_ event: NewEvent) throws -> AppendResult {
        if let copied = event.copied {
            let position = try add(event, key: copied.key, identity: copied.identity)
            return copied.isConflict
                ? .conflict(position: position) : .appended(position: position)
        }
        let rivals = known[event.key]
        guard !rivals.isEmpty else {
            return .appended(position: try add(event, key: event.key, identity: nil))
        }
        if let position = try equal(to: event, among: rivals) { return .duplicate(of: position) }
        let key = EventKey.conflict(
            identity: event.key, payloadHash: event.evidence.payloadHash)
        return .conflict(position: try add(event, key: key, identity: event.key))
    }

    private mutating func add(
        _ event: NewEvent, key: Digest, identity: Digest?
    ) throws -> Int64 {
        let position = tree.size + 1
        let receivedAt = clamped(event)
        let row = event.row(
            at: position, key: key, identity: identity, receivedAt: receivedAt)
        erased += try event.erasedPositions()
        rows.append(row)
        evidence.append(event.isTombstone ? nil : event.evidence.packed)
        tree.append(row.leafHash)
        if !event.receivedAtClaimed { newestReceivedAt = receivedAt }
        known.add(event, at: position)
        return position
    }

    private func clamped(_ event: NewEvent) -> Timestamp {
        guard !event.receivedAtClaimed, let newest = newestReceivedAt else {
            return event.receivedAt
        }
        return max(event.receivedAt, newest)
    }

    /// The event with the same identity, original or conflict, and equal claims.
    private func equal(to event: NewEvent, among rivals: [KnownEvents.Entry]) throws -> Int64? {
        // Equal payloads make equal claims without being decoded.
        let same = rivals.first {
            $0.evidenceHash == event.evidence.evidenceHash
                || $0.payloadHash == event.evidence.payloadHash
        }
        if let same { return same.position }
        // An erased event has only its key: a repetition must not restore it.
        let erased = try rivals.first { try $0.evidence == nil && isErased($0.position) }
        if let erased { return erased.position }
        let kind = event.attributes.kind
        let claims = try EvidenceClaims.digest(event.evidence.packed, kind: kind)
        return try rivals.first { try self.claims(of: $0, kind) == claims }?.position
    }

    private func isErased(_ position: Int64) throws -> Bool {
        do {
            return try stored(position) == nil
        } catch let error as StoreError where error.code == .fileCorrupt {
            return false
        }
    }

    /// Nil when the claims cannot be compared because the evidence is damaged. The
    /// new event is then stored as a conflict, so that one bad row stops no append.
    private func claims(of rival: KnownEvents.Entry, _ kind: EventKind) throws -> Digest? {
        do {
            return try (rival.evidence ?? stored(rival.position)).map { evidence in
                try EvidenceClaims.digest(evidence, kind: kind)
            }
        } catch let error as StoreError where error.code == .fileCorrupt {
            return nil
        }
    }
}
