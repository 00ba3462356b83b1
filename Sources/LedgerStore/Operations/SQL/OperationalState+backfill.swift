public import AppStore

/// Backfill lists of ids in progress.
extension OperationalState {
    /// The progress through a list and its failures; nil when it was never started, or has ended.
    public func backfill(
        _ list: Digest
    ) async throws(StoreError) -> (run: BackfillRun, troubles: [BackfillRun.Trouble])? {
        try await readTables { tables in
            let run = try tables.rows(
                """
                SELECT settled, done, requests, appended, duplicates, conflicts, started_at,
                    position, leaf_hash
                FROM @backfill_runs WHERE list = $1::bytea
                """, list
            ) { row in
                var run = BackfillRun(startedAt: try row.time(6))
                run.settled = Int(try row.int64(0))
                run.done = Int(try row.int64(1))
                run.requests = try row.int64(2)
                run.appended = try row.int64(3)
                run.duplicates = try row.int64(4)
                run.conflicts = try row.int64(5)
                run.log = ProjectionCursor(position: try row.int64(7), leafHash: row.digest(8))
                return run
            }.first
            guard let run else { return nil }
            let troubles = try tables.rows(
                """
                SELECT ordinal, id, code, message FROM @backfill_troubles
                WHERE list = $1::bytea ORDER BY ordinal
                """, list
            ) { row in
                BackfillRun.Trouble(
                    ordinal: Int(try row.int64(0)), id: try row.requiredText(1),
                    code: row.text(2), message: try row.requiredText(3))
            }
            return (run, troubles)
        }
    }

    /// Stores the progress through a list and the failures since the last call; all of it or
    /// nothing.
    ///
    /// - `solved`: the index of an id that had failed and no longer does.
    public func keep(
        _ run: BackfillRun, of list: Digest, troubles: [BackfillRun.Trouble], solved: Int?,
        at now: Timestamp
    ) async throws(StoreError) {
        try await writeTables(.requests) { tables in
            try tables.insert(
                into: "backfill_runs",
                [
                    "list": list, "settled": run.settled, "done": run.done,
                    "requests": run.requests, "appended": run.appended,
                    "duplicates": run.duplicates, "conflicts": run.conflicts,
                    "started_at": run.startedAt, "touched_at": now,
                    "position": run.log.position, "leaf_hash": run.log.leafHash,
                ], replacing: ["list"])
            if let solved {
                try tables.execute(
                    """
                    DELETE FROM @backfill_troubles
                    WHERE list = $1::bytea AND ordinal = $2::bigint
                    """, list, solved)
            }
            for trouble in troubles {
                try tables.insert(
                    into: "backfill_troubles",
                    [
                        "list": list, "ordinal": trouble.ordinal, "id": trouble.id,
                        "code": trouble.code, "message": trouble.message,
                    ], replacing: ["list", "ordinal"])
            }
            let old = try tables.rows(
                """
                SELECT list FROM @backfill_runs WHERE list NOT IN (
                    SELECT list FROM @backfill_runs ORDER BY touched_at DESC, list LIMIT $1::bigint)
                """, OperationsLimits.backfillRunCount
            ) { $0.digest(0) }
            for list in old { try tables.forgetBackfill(list) }
        }
    }

    /// Removes a list: it is done, or starts again.
    public func forgetBackfill(_ list: Digest) async throws(StoreError) {
        try await writeTables(.requests) { try $0.forgetBackfill(list) }
    }
}

extension SQLTables {
    fileprivate func forgetBackfill(_ list: Digest) throws {
        for table in ["backfill_runs", "backfill_troubles"] {
            try execute("DELETE FROM @\(table) WHERE list = $1::bytea", list)
        }
    }
}
