public import AppStore
internal import GRDB
public import LedgerStore

/// Backfill lists of ids in progress.
extension OperationsStore {
    public func backfill(
        _ list: Digest
    ) async throws(StoreError) -> (run: BackfillRun, troubles: [BackfillRun.Trouble])? {
        try await read { database in
            let run = try database.rows(
                """
                SELECT settled, done, requests, appended, duplicates, conflicts, started_at
                FROM backfill_runs WHERE list = ?
                """, list
            ) { row in
                var run = BackfillRun(startedAt: row.time(6))
                run.settled = Int(row.int64(0))
                run.done = Int(row.int64(1))
                run.requests = row.int64(2)
                run.appended = row.int64(3)
                run.duplicates = row.int64(4)
                run.conflicts = row.int64(5)
                return run
            }.first
            guard let run else { return nil }
            let troubles = try database.rows(
                """
                SELECT ordinal, id, code, message FROM backfill_troubles WHERE list = ?
                ORDER BY ordinal
                """, list
            ) { row in
                BackfillRun.Trouble(
                    ordinal: Int(row.int64(0)), id: row.requiredText(1), code: row.text(2),
                    message: row.requiredText(3))
            }
            return (run, troubles)
        }
    }

    public func keep(
        _ run: BackfillRun, of list: Digest, troubles: [BackfillRun.Trouble], solved: Int?,
        at now: Timestamp
    ) async throws(StoreError) {
        try await write { database in
            try database.insert(
                "INSERT OR REPLACE", into: "backfill_runs",
                [
                    "list": list, "settled": run.settled, "done": run.done,
                    "requests": run.requests, "appended": run.appended,
                    "duplicates": run.duplicates, "conflicts": run.conflicts,
                    "started_at": run.startedAt, "touched_at": now,
                ])
            if let solved {
                try database.run(
                    "DELETE FROM backfill_troubles WHERE list = ? AND ordinal = ?", list, solved)
            }
            for trouble in troubles {
                try database.insert(
                    "INSERT OR REPLACE", into: "backfill_troubles",
                    [
                        "list": list, "ordinal": trouble.ordinal, "id": trouble.id,
                        "code": trouble.code, "message": trouble.message,
                    ])
            }
            let old = try database.rows(
                "SELECT list FROM backfill_runs ORDER BY touched_at DESC, list LIMIT -1 OFFSET ?",
                OperationsLimits.backfillRunCount
            ) { $0.digest(0) }
            for list in old { try OperationsStore.forget(list, database) }
        }
    }

    public func forgetBackfill(_ list: Digest) async throws(StoreError) {
        try await write { try OperationsStore.forget(list, $0) }
    }

    private static func forget(_ list: Digest, _ database: Database) throws {
        for table in ["backfill_runs", "backfill_troubles"] {
            try database.run("DELETE FROM \(table) WHERE list = ?", list)
        }
    }
}
