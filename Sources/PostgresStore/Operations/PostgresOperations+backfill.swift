public import AppStore
public import LedgerStore

/// Backfill lists of ids in progress.
extension PostgresOperations {
    public func backfill(
        _ list: Digest
    ) async throws(StoreError) -> (run: BackfillRun, troubles: [BackfillRun.Trouble])? {
        try await read { transaction in
            let row = try transaction.run(
                """
                SELECT settled, done, requests, appended, duplicates, conflicts, started_at
                FROM @backfill_runs WHERE list = $1::bytea
                """, list
            ).first
            guard let row else { return nil }
            var run = BackfillRun(startedAt: try row.time(6))
            run.settled = Int(try row.int64(0))
            run.done = Int(try row.int64(1))
            run.requests = try row.int64(2)
            run.appended = try row.int64(3)
            run.duplicates = try row.int64(4)
            run.conflicts = try row.int64(5)
            let troubles = try transaction.run(
                """
                SELECT ordinal, id, code, message FROM @backfill_troubles
                WHERE list = $1::bytea ORDER BY ordinal
                """, list
            ).rows.map { row in
                BackfillRun.Trouble(
                    ordinal: Int(try row.int64(0)), id: try row.requiredText(1),
                    code: row.text(2), message: try row.requiredText(3))
            }
            return (run, troubles)
        }
    }

    public func keep(
        _ run: BackfillRun, of list: Digest, troubles: [BackfillRun.Trouble], solved: Int?,
        at now: Timestamp
    ) async throws(StoreError) {
        try await write(.requests) { transaction in
            try PostgresOperations.write(run, list, now, transaction)
            if let solved {
                try transaction.run(
                    """
                    DELETE FROM @backfill_troubles
                    WHERE list = $1::bytea AND ordinal = $2::bigint
                    """, list, solved)
            }
            for trouble in troubles {
                try transaction.run(
                    """
                    INSERT INTO @backfill_troubles (list, ordinal, id, code, message)
                    VALUES ($1::bytea, $2::bigint, $3::bytea, $4::bytea, $5::bytea)
                    ON CONFLICT (list, ordinal) DO UPDATE SET id = excluded.id,
                        code = excluded.code, message = excluded.message
                    """, list, trouble.ordinal, trouble.id, trouble.code, trouble.message)
            }
            let old = try transaction.run(
                """
                SELECT list FROM @backfill_runs ORDER BY touched_at DESC, list OFFSET $1::bigint
                """, OperationsLimits.backfillRunCount
            ).rows.compactMap { $0.digest(0) }
            for list in old { try PostgresOperations.forget(list, transaction) }
        }
    }

    public func forgetBackfill(_ list: Digest) async throws(StoreError) {
        try await write(.requests) { try PostgresOperations.forget(list, $0) }
    }

    private static func write(
        _ run: BackfillRun, _ list: Digest, _ now: Timestamp,
        _ transaction: OperationsTransaction
    ) throws {
        try transaction.run(
            """
            INSERT INTO @backfill_runs (list, settled, done, requests, appended, duplicates,
                conflicts, started_at, touched_at)
            VALUES ($1::bytea, $2::bigint, $3::bigint, $4::bigint, $5::bigint, $6::bigint,
                $7::bigint, $8::bigint, $9::bigint)
            ON CONFLICT (list) DO UPDATE SET settled = excluded.settled, done = excluded.done,
                requests = excluded.requests, appended = excluded.appended,
                duplicates = excluded.duplicates, conflicts = excluded.conflicts,
                started_at = excluded.started_at, touched_at = excluded.touched_at
            """, list, run.settled, run.done, run.requests, run.appended, run.duplicates,
            run.conflicts, run.startedAt, now)
    }

    private static func forget(_ list: Digest, _ transaction: OperationsTransaction) throws {
        for table in ["backfill_runs", "backfill_troubles"] {
            try transaction.run("DELETE FROM @\(table) WHERE list = $1::bytea", list)
        }
    }
}
