/// Signed checkpoints of the log.
extension SQLOperations {
    public func keep(_ checkpoint: StoredCheckpoint) async throws(StoreError) {
        try await writeTables(.requests) { try $0.keep(checkpoint) }
    }

    public func adopt(_ checkpoints: [StoredCheckpoint]) async throws(StoreError) -> Int {
        try await writeTables(.requests) { tables in
            var refusedCount = 0
            for checkpoint in checkpoints {
                let known = try tables.checkpoints("size = $1::bigint", checkpoint.size, 1).first
                guard let both = known == nil ? checkpoint : known?.adding(checkpoint) else {
                    refusedCount += 1
                    continue
                }
                if both != known { try tables.keep(both) }
            }
            return refusedCount
        }
    }

    public func checkpoints(
        after size: Int64, limit: Int
    ) async throws(StoreError) -> [StoredCheckpoint] {
        try await readTables { tables in
            try tables.checkpoints("size > $1::bigint ORDER BY size", size, limit)
        }
    }

    public func checkpoints(
        before size: Int64, limit: Int
    ) async throws(StoreError) -> [StoredCheckpoint] {
        try await readTables { tables in
            try tables.checkpoints("size < $1::bigint ORDER BY size DESC", size, limit)
        }
    }
}

extension SQLTables {
    fileprivate func keep(_ checkpoint: StoredCheckpoint) throws {
        try insert(
            into: "checkpoints",
            [
                "size": checkpoint.size, "note": checkpoint.note,
                "signed_at": checkpoint.signedAt,
            ], replacing: ["size"])
    }

    fileprivate func checkpoints(
        _ condition: String, _ size: Int64, _ limit: Int
    ) throws -> [StoredCheckpoint] {
        try rows(
            "SELECT size, note, signed_at FROM @checkpoints WHERE \(condition) LIMIT $2::bigint",
            size, limit
        ) { row in
            StoredCheckpoint(
                size: try row.int64(0), note: try row.requiredText(1), signedAt: try row.time(2))
        }
    }
}
