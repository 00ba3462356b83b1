internal import AppStore
internal import Ledger
internal import LedgerStore

/// The events that a group may repeat, by identity: those in the log, and those placed before in
/// the same group.
struct KnownEvents {
    private var entries: [Digest: [KnownEvent]] = [:]

    /// - Parameter result: of `LogStatements.known`.
    init(_ result: QueryResult, location: String) throws {
        for row in result.rows {
            guard let identity = row.digest(0), let evidenceHash = row.digest(2),
                let payloadHash = row.digest(3)
            else {
                throw StoreError.contradiction(location, "A known key has no hashes.")
            }
            let entry = KnownEvent(
                position: try row.int64(1), evidenceHash: evidenceHash, payloadHash: payloadHash)
            entries[identity, default: []].append(entry)
        }
    }

    subscript(identity: Digest) -> [KnownEvent] { entries[identity] ?? [] }

    mutating func add(_ event: NewEvent, at position: Int64) {
        entries[event.key, default: []].append(
            KnownEvent(
                position: position, evidenceHash: event.evidence.evidenceHash,
                payloadHash: event.evidence.payloadHash, evidence: event.evidence.packed))
    }
}
