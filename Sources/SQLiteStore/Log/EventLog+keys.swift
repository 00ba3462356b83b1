public import AppStore
internal import GRDB
public import LedgerStore

extension EventLog {
    public func event(key: Digest) async throws(StoreError) -> LoggedEvent? {
        let position = try await read { database in
            try database.rows("SELECT position FROM events WHERE key = ?", key) { $0.int64(0) }
                .first
        }
        guard let position else { return nil }
        return try await event(at: position)
    }

    public func position(ofKnown event: NewEvent) async throws(StoreError) -> Int64? {
        try await read { database in
            try database.rows(
                """
                SELECT position, evidence_hash, payload_hash FROM events WHERE key = ?1
                UNION ALL
                SELECT position, evidence_hash, payload_hash FROM events WHERE identity = ?1
                """, event.key
            ) { row in
                row.digest(1) == event.evidence.evidenceHash
                    || row.digest(2) == event.evidence.payloadHash ? row.int64(0) : nil
            }.first
        }
    }
}
