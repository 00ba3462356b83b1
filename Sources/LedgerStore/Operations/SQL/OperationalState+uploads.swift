public import AppStore

/// Keys of uploads, each with the request it belongs to and the record of its answer.
extension OperationalState {
    /// Assigns a key to a request, or returns its state.
    ///
    /// - `request`: SHA-256 of the body.
    public func take(
        uploadKey key: String, request: Digest, at now: Timestamp
    ) async throws(StoreError) -> UploadKey {
        try await writeTables(.uploads) { tables in
            try tables.execute(
                "DELETE FROM @upload_keys WHERE taken_at <= $1::bigint",
                now.milliseconds - OperationsLimits.uploadKeyMilliseconds)
            if let known = try tables.upload(key) {
                guard known.request == request else { return .taken }
                if let record = known.record { return .answered(record) }
                // The attempt that took the key can no longer release it.
                try tables.execute(
                    "UPDATE @upload_keys SET taken_at = taken_at + 1 WHERE key = $1::bytea", key)
                return .open
            }
            let count = try tables.count("upload_keys")
            if count >= OperationsLimits.uploadKeyCount {
                try tables.execute(
                    """
                    DELETE FROM @upload_keys WHERE key IN
                        (SELECT key FROM @upload_keys ORDER BY taken_at, key LIMIT $1::bigint)
                    """, count - OperationsLimits.uploadKeyCount + 1)
            }
            try tables.insert(
                into: "upload_keys", ["key": key, "request": request, "taken_at": now])
            return .new
        }
    }

    /// Stores the record from which a request is answered, unless there is one; returns the stored
    /// record.
    public func keep(
        _ record: UploadRecord, uploadKey key: String
    ) async throws(StoreError) -> UploadRecord {
        try await writeTables(.uploads) { tables in
            try tables.execute(
                """
                UPDATE @upload_keys SET result = $1::bytea, event_position = $2::bigint,
                    claim = $3::bytea, at = $4::bigint, position = $5::bigint
                WHERE key = $6::bytea AND result IS NULL
                """, record.result, record.eventPosition, record.claim, record.at,
                record.position, key)
            return try tables.upload(key)?.record ?? record
        }
    }

    /// Forgets every key: the log was restored, and may lack the events that answered them.
    package func forgetUploadKeys() async throws(StoreError) {
        try await writeTables(.uploads) { tables in
            _ = try tables.execute("DELETE FROM @upload_keys")
        }
    }

    /// Releases a key whose request was refused. One that another attempt of the same request has
    /// taken since, on another node, stays: that attempt may succeed.
    ///
    /// - `now`: as passed to the `take` that returned `.new`.
    public func forget(uploadKey key: String, takenAt now: Timestamp) async throws(StoreError) {
        try await writeTables(.uploads) { tables in
            _ = try tables.execute(
                """
                DELETE FROM @upload_keys
                WHERE key = $1::bytea AND result IS NULL AND taken_at = $2::bigint
                """, key, now)
        }
    }
}

extension SQLTables {
    fileprivate func upload(
        _ key: String
    ) throws -> (request: Digest?, record: UploadRecord?)? {
        try rows(
            """
            SELECT request, result, event_position, claim, at, position FROM @upload_keys
            WHERE key = $1::bytea
            """, key
        ) { row in
            var record: UploadRecord?
            if let result = row.text(1), let event = try row.optionalInt64(2),
                let at = try row.optionalTime(4), let position = try row.optionalInt64(5)
            {
                record = UploadRecord(
                    result: result, eventPosition: event, claim: row.text(3), at: at,
                    position: position)
            }
            return (request: row.digest(0), record: record)
        }.first
    }
}
