public import AppStore
public import LedgerStore

/// Keys of uploads, each with the request it belongs to and the record of its answer.
extension PostgresOperations {
    public func take(
        uploadKey key: String, request: Digest, at now: Timestamp
    ) async throws(StoreError) -> UploadKey {
        try await write(.uploads) { transaction in
            try transaction.run(
                "DELETE FROM @upload_keys WHERE taken_at <= $1::bigint",
                now.milliseconds - OperationsLimits.uploadKeyMilliseconds)
            if let known = try PostgresOperations.upload(key, transaction) {
                guard known.request == request else { return .taken }
                return known.record.map { .answered($0) } ?? .open
            }
            let count = try transaction.run("SELECT count(*) FROM @upload_keys").first?.int64(0)
            let most = Int64(OperationsLimits.uploadKeyCount)
            if let count, count >= most {
                try transaction.run(
                    """
                    DELETE FROM @upload_keys WHERE key IN
                        (SELECT key FROM @upload_keys ORDER BY taken_at, key LIMIT $1::bigint)
                    """, count - most + 1)
            }
            try transaction.run(
                """
                INSERT INTO @upload_keys (key, request, taken_at)
                VALUES ($1::bytea, $2::bytea, $3::bigint)
                """, key, request, now)
            return .new
        }
    }

    public func keep(
        _ record: UploadRecord, uploadKey key: String
    ) async throws(StoreError) -> UploadRecord {
        try await write(.uploads) { transaction in
            try transaction.run(
                """
                UPDATE @upload_keys SET result = $1::bytea, event_position = $2::bigint,
                    claim = $3::bytea, at = $4::bigint, position = $5::bigint
                WHERE key = $6::bytea AND result IS NULL
                """, record.result, record.eventPosition, record.claim, record.at,
                record.position, key)
            return try PostgresOperations.upload(key, transaction)?.record ?? record
        }
    }

    public func forget(uploadKey key: String) async throws(StoreError) {
        try await write(.uploads) { transaction in
            _ = try transaction.run(
                "DELETE FROM @upload_keys WHERE key = $1::bytea AND result IS NULL", key)
        }
    }

    private static func upload(
        _ key: String, _ transaction: OperationsTransaction
    ) throws -> (request: Digest?, record: UploadRecord?)? {
        let row = try transaction.run(
            """
            SELECT request, result, event_position, claim, at, position FROM @upload_keys
            WHERE key = $1::bytea
            """, key
        ).first
        guard let row else { return nil }
        var record: UploadRecord?
        if let result = row.text(1), let event = try row.optionalInt64(2),
            let at = try row.optionalTime(4), let position = try row.optionalInt64(5)
        {
            record = UploadRecord(
                result: result, eventPosition: event, claim: row.text(3), at: at,
                position: position)
        }
        return (request: row.digest(0), record: record)
    }
}
