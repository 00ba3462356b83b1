public import AppStore
internal import GRDB
public import LedgerStore

/// Keys of uploads, each with the request it belongs to and the record of its answer.
extension OperationsStore {
    public func take(
        uploadKey key: String, request: Digest, at now: Timestamp
    ) async throws(StoreError) -> UploadKey {
        try await write { database in
            try database.run(
                "DELETE FROM upload_keys WHERE taken_at <= ?",
                now.milliseconds - OperationsLimits.uploadKeyMilliseconds)
            if let known = try OperationsStore.upload(key, database) {
                guard known.request == request else { return .taken }
                return known.record.map { .answered($0) } ?? .open
            }
            let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM upload_keys") ?? 0
            if count >= OperationsLimits.uploadKeyCount {
                try database.run(
                    """
                    DELETE FROM upload_keys WHERE key IN
                        (SELECT key FROM upload_keys ORDER BY taken_at, key LIMIT ?)
                    """, count - OperationsLimits.uploadKeyCount + 1)
            }
            try database.insert(
                into: "upload_keys", ["key": key, "request": request, "taken_at": now])
            return .new
        }
    }

    public func keep(
        _ record: UploadRecord, uploadKey key: String
    ) async throws(StoreError) -> UploadRecord {
        try await write { database in
            try database.run(
                """
                UPDATE upload_keys
                SET result = ?, event_position = ?, claim = ?, at = ?, position = ?
                WHERE key = ? AND result IS NULL
                """, record.result, record.eventPosition, record.claim, record.at,
                record.position, key)
            return try OperationsStore.upload(key, database)?.record ?? record
        }
    }

    public func forget(uploadKey key: String) async throws(StoreError) {
        try await write { database in
            _ = try database.run(
                "DELETE FROM upload_keys WHERE key = ? AND result IS NULL", key)
        }
    }

    private static func upload(
        _ key: String, _ database: Database
    ) throws -> (request: Digest?, record: UploadRecord?)? {
        try database.rows(
            """
            SELECT request, result, event_position, claim, at, position FROM upload_keys
            WHERE key = ?
            """, key
        ) { row in
            var record: UploadRecord?
            if let result = row.text(1), let event = row.optionalInt64(2),
                let at = row.optionalTime(4), let position = row.optionalInt64(5)
            {
                record = UploadRecord(
                    result: result, eventPosition: event, claim: row.text(3), at: at,
                    position: position)
            }
            return (request: row.digest(0), record: record)
        }.first
    }
}
