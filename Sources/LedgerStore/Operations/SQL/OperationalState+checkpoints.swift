/// Signed checkpoints of the log.
extension OperationalState {
    /// Keeps a signed checkpoint permanently. Replaces one of the same size, whose signatures it
    /// keeps where both state the same: another writer may have added some since the caller looked.
    ///
    /// - Returns: what is kept.
    @discardableResult
    public func keep(_ checkpoint: StoredCheckpoint) async throws(StoreError) -> StoredCheckpoint {
        try await writeTables(.requests) { tables in
            let known = try tables.checkpoints("size = $1::bigint", checkpoint.size, 1).first
            let both = known.flatMap { checkpoint.adding($0) } ?? checkpoint
            try tables.keep(both)
            return both
        }
    }

    /// Keeps checkpoints of the same log from elsewhere, all of them or none. Where one of the same
    /// size is kept, the signatures that it lacks are added; where that one states another root or
    /// origin, it stays and the other is refused.
    ///
    /// - Returns: how many were refused.
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

    /// The checkpoints kept of more than `size` events, in order; at most `limit`.
    public func checkpoints(
        after size: Int64, limit: Int
    ) async throws(StoreError) -> [StoredCheckpoint] {
        try await readTables { tables in
            try tables.checkpoints("size > $1::bigint ORDER BY size", size, limit)
        }
    }

    /// The checkpoints kept of fewer than `size` events, newest first; at most `limit`.
    public func checkpoints(
        before size: Int64, limit: Int
    ) async throws(StoreError) -> [StoredCheckpoint] {
        try await readTables { tables in
            try tables.checkpoints("size < $1::bigint ORDER BY size DESC", size, limit)
        }
    }
}

extension SQLTables {
    package func keep(_ checkpoint: StoredCheckpoint) throws {
        try insert(
            into: "checkpoints",
            [
                "size": checkpoint.size, "note": checkpoint.note,
                "signed_at": checkpoint.signedAt,
            ], replacing: ["size"])
    }

    /// - Parameter condition: on `size`; what follows WHERE, with `size` as the first parameter.
    package func checkpoints(
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
