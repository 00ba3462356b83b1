internal import AppStore
internal import LedgerStore

/// The rows of one transaction, placed in memory after the head row was locked.
struct PlacedEvents {
    /// The head row after them.
    private(set) var head: HeadRow
    private(set) var rows: [RecordedEvent] = []
    /// Nil for tombstones of a log that is copied.
    private(set) var evidence: [PackedEvidence?] = []
    /// Positions whose events become tombstones.
    private(set) var erased: [Int64] = []
    /// The events that one may repeat, by identity: those in the log, and those placed before.
    private var known: [Digest: [KnownEvent]]
    /// The stored evidence at a position; nil when it was erased. Throws `fileCorrupt` for damage.
    private let stored: (Int64) throws -> PackedEvidence?

    init(
        after head: HeadRow, known: [Digest: [KnownEvent]],
        stored: @escaping (Int64) throws -> PackedEvidence?
    ) {
        self.head = head
        self.known = known
        self.stored = stored
    }

    /// - Parameter result: of `LogStatements.known`.
    static func known(
        _ result: QueryResult, location: String
    ) throws -> [Digest: [KnownEvent]] {
        var known: [Digest: [KnownEvent]] = [:]
        for row in result.rows {
            guard let identity = row.digest(0), let evidenceHash = row.digest(2),
                let payloadHash = row.digest(3)
            else {
                throw StoreError.contradiction(location, "A known key has no hashes.")
            }
            known[identity, default: []].append(
                KnownEvent(
                    position: try row.int64(1), evidenceHash: evidenceHash,
                    payloadHash: payloadHash))
        }
        return known
    }

    /// Appends one event, or finds the existing event it repeats.
    mutating func place(_ event: NewEvent) throws -> AppendResult {
        if let copied = event.copied {
            let position = try add(event, key: copied.key, identity: copied.identity)
            return copied.isConflict
                ? .conflict(position: position) : .appended(position: position)
        }
        guard let rivals = known[event.key] else {
            return .appended(position: try add(event, key: event.key, identity: nil))
        }
        if let position = try event.repeated(among: rivals, stored: stored) {
            return .duplicate(of: position)
        }
        let key = EventKey.conflict(
            identity: event.key, payloadHash: event.evidence.payloadHash)
        return .conflict(position: try add(event, key: key, identity: event.key))
    }

    private mutating func add(
        _ event: NewEvent, key: Digest, identity: Digest?
    ) throws -> Int64 {
        let row = head.next(event, key: key, identity: identity)
        erased += try event.erasedPositions()
        rows.append(row)
        evidence.append(event.isTombstone ? nil : event.evidence.packed)
        head.add(row)
        known[event.key, default: []].append(
            KnownEvent(
                position: row.position, evidenceHash: event.evidence.evidenceHash,
                payloadHash: event.evidence.payloadHash, evidence: event.evidence.packed))
        return row.position
    }
}
