public import AppStore
internal import GRDB
public import LedgerStore

/// Backfill lists of ids in progress.
extension OperationsStore {
    /// Unfinished lists kept; beyond it the least recently touched one is dropped.
    public static let backfillRunCount = 100

    /// The progress through a list and its failures; nil when it was never started, or has ended.
    public func backfill(
        _ list: Digest
    ) async throws(StoreError) -> (run: BackfillRun, troubles: [BackfillRun.Trouble])? {
        try await read { database in
            let select = try PreparedStatement(
                database,
                """
                SELECT settled, done, requests, appended, duplicates, conflicts, started_at
                FROM backfill_runs WHERE list = ?
                """)
            select.bind(1, list)
            defer { select.reset() }
            guard try select.step() else { return nil }
            var run = BackfillRun(startedAt: Timestamp(milliseconds: select.int64(6)))
            run.settled = Int(select.int64(0))
            run.done = Int(select.int64(1))
            run.requests = select.int64(2)
            run.appended = select.int64(3)
            run.duplicates = select.int64(4)
            run.conflicts = select.int64(5)
            return (run, try OperationsStore.troubles(of: list, database))
        }
    }

    /// Stores the progress through a list and the failures since the last call; all of it or
    /// nothing.
    ///
    /// - Parameter solved: the index of an id that had failed and no longer does.
    public func keep(
        _ run: BackfillRun, of list: Digest, troubles: [BackfillRun.Trouble] = [],
        solved: Int? = nil, at now: Timestamp
    ) async throws(StoreError) {
        try await write { database in
            let keep = try PreparedStatement(
                database,
                """
                INSERT OR REPLACE INTO backfill_runs (list, settled, done, requests, appended,
                    duplicates, conflicts, started_at, touched_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
            keep.bind(1, list)
            keep.bind(2, Int64(run.settled))
            keep.bind(3, Int64(run.done))
            keep.bind(4, run.requests)
            keep.bind(5, run.appended)
            keep.bind(6, run.duplicates)
            keep.bind(7, run.conflicts)
            keep.bind(8, run.startedAt.milliseconds)
            keep.bind(9, now.milliseconds)
            try keep.runInsert()
            if let solved { try OperationsStore.solve(solved, of: list, database) }
            for trouble in troubles { try OperationsStore.keep(trouble, of: list, database) }
            try OperationsStore.forgetOldRuns(database)
        }
    }

    /// Removes a list: it is done, or starts again.
    public func forgetBackfill(_ list: Digest) async throws(StoreError) {
        try await write { try OperationsStore.forget(list, $0) }
    }

    private static func troubles(
        of list: Digest, _ database: Database
    ) throws -> [BackfillRun.Trouble] {
        let select = try PreparedStatement(
            database,
            """
            SELECT ordinal, id, code, message FROM backfill_troubles WHERE list = ?
            ORDER BY ordinal
            """)
        select.bind(1, list)
        var found: [BackfillRun.Trouble] = []
        while try select.step() {
            found.append(
                BackfillRun.Trouble(
                    ordinal: Int(select.int64(0)), id: select.text(1) ?? "",
                    code: select.text(2), message: select.text(3) ?? ""))
        }
        return found
    }

    private static func keep(
        _ trouble: BackfillRun.Trouble, of list: Digest, _ database: Database
    ) throws {
        let insert = try PreparedStatement(
            database,
            """
            INSERT OR REPLACE INTO backfill_troubles (list, ordinal, id, code, message)
            VALUES (?, ?, ?, ?, ?)
            """)
        insert.bind(1, list)
        insert.bind(2, Int64(trouble.ordinal))
        insert.bind(3, trouble.id)
        insert.bind(4, trouble.code)
        insert.bind(5, trouble.message)
        try insert.runInsert()
    }

    private static func solve(
        _ ordinal: Int, of list: Digest, _ database: Database
    ) throws {
        let delete = try PreparedStatement(
            database, "DELETE FROM backfill_troubles WHERE list = ? AND ordinal = ?")
        delete.bind(1, list)
        delete.bind(2, Int64(ordinal))
        try delete.runInsert()
    }

    private static func forgetOldRuns(_ database: Database) throws {
        let select = try PreparedStatement(
            database,
            "SELECT list FROM backfill_runs ORDER BY touched_at DESC, list LIMIT -1 OFFSET ?")
        select.bind(1, Int64(backfillRunCount))
        var old: [Digest] = []
        while try select.step() { if let list = select.digest(0) { old.append(list) } }
        for list in old { try forget(list, database) }
    }

    private static func forget(_ list: Digest, _ database: Database) throws {
        for table in ["backfill_runs", "backfill_troubles"] {
            let delete = try PreparedStatement(database, "DELETE FROM \(table) WHERE list = ?")
            delete.bind(1, list)
            try delete.runInsert()
        }
    }
}
