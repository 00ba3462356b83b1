public import AppStore
internal import GRDB
public import LedgerStore

extension EventLog {
    /// The event with this key, or nil; a conflict has a different key (`EventKey`).
    public func event(key: Digest) async throws(StoreError) -> LoggedEvent? {
        let position = try await read { database -> Int64? in
            let select = try PreparedStatement(
                database, "SELECT position FROM events WHERE key = ?")
            select.bind(1, key)
            guard try select.step() else { return nil }
            defer { select.reset() }
            return select.int64(0)
        }
        guard let position else { return nil }
        return try await event(at: position)
    }

    /// The position of the stored event that appending this one would repeat, determined from equal
    /// bytes or equal payloads; nil when there is none. Takes no lock, so it also works while the
    /// log cannot be written.
    public func position(ofKnown event: NewEvent) async throws(StoreError) -> Int64? {
        try await read { database -> Int64? in
            let select = try PreparedStatement(
                database,
                """
                SELECT position, evidence_hash, payload_hash FROM events WHERE key = ?1
                UNION ALL
                SELECT position, evidence_hash, payload_hash FROM events WHERE identity = ?1
                """)
            select.bind(1, event.key)
            defer { select.reset() }
            while try select.step() {
                if select.digest(1) == event.evidence.evidenceHash
                    || select.digest(2) == event.evidence.payloadHash
                {
                    return select.int64(0)
                }
            }
            return nil
        }
    }
}
