internal import LedgerStore
internal import Synchronization

/// Opens connections to the database of a log.
struct PostgresSession: Sendable {
    let place: PostgresLocation
    /// Timeout while an answer is expected and the server sends nothing, and while it waits for the
    /// next statement inside a transaction.
    let answerTimeout: Duration

    /// Settings of every connection. No sequential scans, just-in-time compilation or parallel
    /// workers: a young table has no statistics, and each would cost more than the statement. The
    /// server ends a session that is idle in a transaction, which may lock the head row. It ends a
    /// wait for a lock before the node gives up the connection: abandoned sessions would queue for
    /// the lock until none is left. The warning that a wait for a standby was cancelled is always
    /// sent, and `synchronous_commit` is never off: no COMMIT is acknowledged before it is durable.
    /// Timeouts of the role or database for statements and transactions are off: they would end the
    /// wait for a silent node's lock before `lock_timeout` does, and the rewriting of a table; the
    /// node bounds each answer itself. Releases before 17 have no `transaction_timeout`.
    static let settings = Statement(
        """
        SELECT set_config('enable_seqscan', 'off', false), set_config('jit', 'off', false),
            set_config('max_parallel_workers_per_gather', '0', false),
            set_config('idle_in_transaction_session_timeout',
                $1::bigint::text, false),
            set_config('lock_timeout', ($1::bigint * 4 / 5)::text, false),
            set_config('tcp_keepalives_idle', '\(PostgresLimits.connectSeconds)', false),
            set_config('tcp_keepalives_interval', '1', false),
            set_config('tcp_keepalives_count', '5', false),
            set_config('client_min_messages', 'warning', false),
            CASE current_setting('synchronous_commit') WHEN 'off' THEN
                set_config('synchronous_commit', 'on', false) END,
            (SELECT count(set_config(name, '0', false)) FROM pg_catalog.pg_settings
                WHERE name IN ('statement_timeout', 'transaction_timeout'))
        """)

    func open() throws(PostgresError) -> PostgresConnection {
        let connection = try PostgresConnection(place, answerTimeout: answerTimeout)
        _ = try connection.run(
            PostgresSession.settings.with(Int64(answerTimeout / .milliseconds(1))))
        return connection
    }
}

extension PostgresLocation {
    /// Rewrites tables, so that their files contain no data of removed rows; each is blocked
    /// meanwhile.
    ///
    /// Throws as a transaction does, `fileLocked` where other connections use a table too long, and
    /// `databaseRefused` where another role owns one.
    ///
    /// - Parameter attempts: how often open transactions are looked at; fewer in tests.
    func rewrite(
        _ tables: [String], attempts: Int = LogLimits.purgeAttemptCount
    ) async throws(StoreError) {
        let session = PostgresSession(place: self, answerTimeout: PostgresLimits.rewriteTimeout)
        try await Blocking.run { () throws(StoreError) in
            do {
                let connection = try session.open()
                try connection.run(script: "SET lock_timeout = '\(PostgresLimits.rewriteWait)'")
                try connection.waitForTransactions(attempts)
                for table in tables {
                    try connection.run(script: "VACUUM (FULL) \"\(schema)\".\(table)")
                    // A table of another role is left as it is, with a warning only.
                    guard !connection.takeNotices().contains(.warning) else { throw notOwner }
                }
            } catch {
                throw StoreError(error, location: description)
            }
        }
    }
}

extension PostgresLocation {
    /// Tables of the log, and then of operations, that an erasure rewrites.
    static let logTables = ["evidence", "events"]
    static let operationTables = [
        "quarantine", "clock_readings", "webhook_waiting", "lookups", "history_places",
        "backfill_troubles", "recovery_undelivered", "recovery_reports", "upload_keys",
        "retention_answers",
    ]

    /// The number of these tables whose owner's privileges the role does not have.
    private static let notOwnedCount = Statement(
        """
        SELECT count(*) FROM pg_catalog.pg_class c
            JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = $1::text AND c.relkind = 'r'
            AND c.relname IN
                (\((logTables + operationTables).map { "'\($0)'" }.joined(separator: ", ")))
            AND NOT pg_catalog.pg_has_role(c.relowner, 'USAGE')
        """)

    /// Throws `databaseRefused` where another role owns a table that an erasure rewrites.
    func requireOwner() async throws(StoreError) {
        let session = PostgresSession(place: self, answerTimeout: PostgresLimits.answerTimeout)
        try await Blocking.run { () throws(StoreError) in
            do {
                let connection = try session.open()
                let command = PostgresLocation.notOwnedCount.with(schema)
                let row = try connection.run(command).first
                guard try row?.int64(0) == 0 else { throw mayNotErase }
            } catch {
                throw StoreError(error, location: description)
            }
        }
    }

    private var mayNotErase: StoreError {
        StoreError(
            .databaseRefused, path: description,
            reason: "This role does not own the tables of the log; this call erased nothing.",
            remedy: "Run the same erasure with a connection of the role that owns the schema.")
    }

    private var notOwner: StoreError {
        StoreError(
            .databaseRefused, path: description,
            reason: "This role may not rewrite the tables, which still hold what was erased.",
            remedy: "Run the same erasure again as the role that owns the schema.")
    }
}

extension PostgresConnection {
    /// Ids of the open transactions, of any role, that may keep removed rows: those in this
    /// database, those that write in any (a snapshot keeps what the oldest of them might read), and
    /// prepared ones; VACUUM keeps none. A role without special rights sees that a transaction is
    /// open, but not since when or what it reads.
    private static let transactionIds = Statement(
        """
        SELECT l.virtualtransaction::text
        FROM pg_catalog.pg_locks l JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
        WHERE l.granted AND l.pid <> pg_backend_pid()
            AND (l.locktype = 'virtualxid' AND a.datname = current_database()
                OR l.locktype = 'transactionid' AND l.mode = 'ExclusiveLock')
            AND NOT EXISTS (
                SELECT FROM pg_catalog.pg_stat_progress_vacuum v WHERE v.pid = l.pid)
        UNION ALL
        SELECT gid FROM pg_catalog.pg_prepared_xacts
        """)

    func openTransactions() throws(PostgresError) -> Set<String> {
        try Set(run(PostgresConnection.transactionIds.with()).rows.compactMap { $0.text(0) })
    }

    /// Waits until no open transaction may read what was removed: rewriting a table keeps the rows
    /// that one may read. Waits for those open now, then for those that began while these were
    /// open: their snapshots are as old.
    fileprivate func waitForTransactions(_ attempts: Int) throws {
        var older = try openTransactions()
        var isSecondRound = false
        for _ in 0..<attempts {
            if older.isEmpty {
                guard !isSecondRound else { return }
                isSecondRound = true
                older = try openTransactions()
                guard !older.isEmpty else { return }
            }
            Blocking.pause(.milliseconds(LogLimits.purgePauseMilliseconds))
            older.formIntersection(try openTransactions())
        }
        throw StoreError(
            .fileLocked, reason: "An open transaction may still read what was erased.",
            remedy: "Wait for long reports, backups and prepared transactions to end, and for those"
                + " that write in other databases of the server; then run the same erasure again.")
    }
}

/// Opens connections to a database that is checked on the first one: when the log is opened, or
/// later if the database was unavailable.
final class CheckedSession: Sendable {
    private let opening: LogOpening
    private let found = Mutex<LedgerId?>(nil)

    init(_ opening: LogOpening) { self.opening = opening }

    /// Throws `PostgresError`, or as `LogOpening.run` until its checks have passed once.
    func open() throws -> PostgresConnection {
        let connection = try opening.session.open()
        _ = try check(connection)
        return connection
    }

    /// Later connections may reach another database under the same name.
    private func check(_ connection: PostgresConnection) throws -> LedgerId {
        if let known = found.withLock({ $0 }) {
            try opening.requireLedger(known, connection)
            return known
        }
        return try found.withLock { found in
            let ledger = try found ?? opening.run(connection)
            found = ledger
            return ledger
        }
    }

    /// Opens the first connection of the first threads, and returns the ledger's id. While the
    /// database is unavailable or its log went back, returns the expected id, if there is one; the
    /// checks run later, before anything is read or written. Stops the threads where it throws.
    func ledger(on threads: ConnectionThreads...) async throws(StoreError) -> LedgerId {
        do throws(StoreError) {
            return try await threads[0].run(opening.session.place.description) { [self] slot in
                try check(slot.connection())
            }
        } catch {
            guard [.databaseUnavailable, .logWentBack].contains(error.code),
                let ledger = opening.ledger
            else {
                for thread in threads { thread.stop() }
                throw error
            }
            return ledger
        }
    }
}
