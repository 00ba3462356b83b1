internal import LedgerStore

/// Every statement on the log.
struct LogStatements: Sendable {
    let lockHead = Statement("\(LogStatements.head) FOR UPDATE")
    let readHead = Statement(LogStatements.head)
    let touchHead = Statement("UPDATE @head SET position = position WHERE log = 1")
    /// 1 MiB of rows at positions that no event has, each too short to be compressed.
    let takeRoom = Statement(
        """
        INSERT INTO @evidence (position, form, bytes)
        SELECT -n, 0, decode(repeat('00', 1024), 'hex') FROM generate_series(1, 1024) AS rows (n)
        """)
    /// A node that went silent between two messages of a transaction keeps the head row locked,
    /// and no timeout of the server ends it.
    let endSilent = Statement(
        """
        SELECT count(pg_terminate_backend(a.pid)) \(LogStatements.holders)
            AND a.usename = current_user AND a.wait_event = 'ClientRead'
            AND a.xact_start < clock_timestamp() - $1::bigint * interval '1 millisecond'
        """)
    /// A COMMIT that waits for a synchronous standby keeps its locks.
    let awaitsStandby = Statement(
        "SELECT count(*) \(LogStatements.holders) AND a.wait_event = 'SyncRep'")
    let updateHead = Statement(
        """
        UPDATE @head SET position = $1::bigint, tree = $2::bytea, root = $3::bytea,
            newest_received_at = $4::bigint
        WHERE log = 1
        """)
    let known = Statement(
        """
        SELECT key, position, evidence_hash, payload_hash FROM @events
        WHERE key = ANY ($1::bytea[])
        UNION ALL
        (SELECT identity, position, evidence_hash, payload_hash FROM @events
        WHERE identity = ANY ($1::bytea[]) ORDER BY position)
        """)
    let leaf = Statement("SELECT leaf_hash FROM @events WHERE position = $1::bigint")
    let leaves = Statement(
        """
        SELECT position, leaf_hash FROM @events
        WHERE position = ANY ($1::bigint[]) ORDER BY position
        """)
    let headersByHash = Statement(
        """
        SELECT id, hash FROM @headers WHERE hash = ANY ($1::bytea[])
        UNION ALL
        SELECT coalesce(max(id), 0), NULL FROM @headers
        """)
    let headersById = Statement(
        "SELECT id, hash, bytes FROM @headers WHERE id = ANY ($1::bigint[])")
    let evidenceAt = Statement(
        """
        SELECT position, form, bytes FROM @evidence
        WHERE position = ANY ($1::bigint[]) ORDER BY position
        """)
    let insertHeaders = Statement(
        """
        INSERT INTO @headers (id, hash, bytes)
        SELECT * FROM unnest($1::bigint[], $2::bytea[], $3::bytea[])
        """)
    let insertEvents = Statement(EventColumns.insert)
    let insertEvidence = Statement(
        """
        INSERT INTO @evidence (position, form, bytes)
        SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bytea[])
        """)
    let events = Statement(EventColumns.page)
    /// Rows beyond the byte bound have no bytes: the first one marks the end of the page.
    let evidence = Statement(
        """
        SELECT position, form, CASE WHEN before < $4::bigint THEN bytes END,
            before >= $4::bigint
        FROM (
            SELECT position, form, bytes,
                coalesce(sum(octet_length(bytes)) OVER (
                    ORDER BY position ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)
                AS before
            FROM (
                SELECT position, form, bytes FROM @evidence
                WHERE position > $1::bigint AND position <= $2::bigint
                ORDER BY position LIMIT $3::bigint
            ) AS page
        ) AS sized ORDER BY position
        """)
    /// The events after a position that an erasure may concern.
    let newer = Statement(
        """
        SELECT count(*) FROM @events WHERE position > $1::bigint
            AND (chain = ANY ($2::bytea[]) OR (chain IS NULL AND kind <> 9))
        """)
    /// The erasures after a position.
    let erasures = Statement(
        "SELECT count(*) FROM @events WHERE kind = 10 AND position > $1::bigint")
    let eraseEvents = Statement(
        """
        UPDATE @events SET chain = NULL, notification_uuid = NULL
        WHERE position = ANY ($1::bigint[])
        """)
    let eraseEvidence = Statement(
        "UPDATE @evidence SET bytes = NULL WHERE position = ANY ($1::bigint[])")

    private static let head =
        "SELECT position, tree, root, newest_received_at FROM @head WHERE log = 1"

    /// Other sessions that have locked the table of the head row, except those that only read it.
    private static let holders = """
        FROM pg_catalog.pg_stat_activity a JOIN pg_catalog.pg_locks l ON l.pid = a.pid
        WHERE l.relation = '@head'::regclass AND l.granted AND l.mode <> 'AccessShareLock'
            AND a.datname = current_database() AND a.pid <> pg_backend_pid()
        """
}

extension LogStatements {
    /// The rows after a position and their evidence: two ranges side by side.
    func page(after position: Int64, through: Int64, limit: Int) -> [Command] {
        [
            events.with(position, through, limit),
            evidence.with(position, through, limit, LogLimits.pageByteCount),
        ]
    }
}
