internal import LedgerStore

/// Every statement on the log of one schema. Names are qualified by the schema, since a session's
/// search path may not survive a pooler.
struct LogStatements: Sendable {
    let lockHead: Statement
    let readHead: Statement
    let touchHead: Statement
    let takeRoom: Statement
    let endSilent: Statement
    let awaitsStandby: Statement
    let updateHead: Statement
    let known: Statement
    let leaf: Statement
    let leaves: Statement
    let headersByHash: Statement
    let headersById: Statement
    let evidenceAt: Statement
    let insertHeaders: Statement
    let insertEvents: Statement
    let insertEvidence: Statement
    let events: Statement
    let evidence: Statement
    let erasing: ErasureStatements

    init(schema name: String) {
        let schema = "\"\(name)\""
        let head =
            "SELECT position, tree, root, newest_received_at FROM \(schema).head WHERE log = 1"
        lockHead = Statement("\(head) FOR UPDATE")
        readHead = Statement(head)
        touchHead = Statement("UPDATE \(schema).head SET position = position WHERE log = 1")
        takeRoom = Statement(LogStatements.takeRoom(schema))
        endSilent = Statement(LogStatements.endSilent(schema))
        awaitsStandby = Statement(LogStatements.awaitsStandby(schema))
        updateHead = Statement(
            """
            UPDATE \(schema).head SET position = $1::bigint, tree = $2::bytea, root = $3::bytea,
                newest_received_at = $4::bigint
            WHERE log = 1
            """)
        known = Statement(LogStatements.known(schema))
        leaf = Statement(
            "SELECT leaf_hash FROM \(schema).events WHERE position = $1::bigint")
        leaves = Statement(
            """
            SELECT position, leaf_hash FROM \(schema).events
            WHERE position = ANY ($1::bigint[]) ORDER BY position
            """)
        headersByHash = Statement(
            """
            SELECT id, hash FROM \(schema).headers WHERE hash = ANY ($1::bytea[])
            UNION ALL
            SELECT coalesce(max(id), 0), NULL FROM \(schema).headers
            """)
        headersById = Statement(
            "SELECT id, hash, bytes FROM \(schema).headers WHERE id = ANY ($1::bigint[])")
        evidenceAt = Statement(
            """
            SELECT position, form, bytes FROM \(schema).evidence
            WHERE position = ANY ($1::bigint[]) ORDER BY position
            """)
        insertHeaders = Statement(
            """
            INSERT INTO \(schema).headers (id, hash, bytes)
            SELECT * FROM unnest($1::bigint[], $2::bytea[], $3::bytea[])
            """)
        insertEvents = Statement(EventColumns.insert(schema))
        insertEvidence = Statement(
            """
            INSERT INTO \(schema).evidence (position, form, bytes)
            SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bytea[])
            """)
        events = Statement(EventColumns.page(schema))
        evidence = Statement(LogStatements.evidence(schema))
        erasing = ErasureStatements(schema)
    }

    // MARK: Longer texts

    /// 1 MiB of rows at positions that no event has, each too short to be compressed.
    private static func takeRoom(_ schema: String) -> String {
        """
        INSERT INTO \(schema).evidence (position, form, bytes)
        SELECT -n, 0, decode(repeat('00', 1024), 'hex') FROM generate_series(1, 1024) AS rows (n)
        """
    }

    /// A node that went silent between two messages of a transaction keeps the head row locked,
    /// and no timeout of the server ends it.
    private static func endSilent(_ schema: String) -> String {
        """
        SELECT count(pg_terminate_backend(a.pid)) \(holders(schema))
            AND a.usename = current_user AND a.wait_event = 'ClientRead'
            AND a.xact_start < clock_timestamp() - $1::bigint * interval '1 millisecond'
        """
    }

    /// A COMMIT that waits for a synchronous standby keeps its locks.
    private static func awaitsStandby(_ schema: String) -> String {
        "SELECT count(*) \(holders(schema)) AND a.wait_event = 'SyncRep'"
    }

    /// Other sessions that have locked the table of the head row.
    private static func holders(_ schema: String) -> String {
        """
        FROM pg_catalog.pg_stat_activity a JOIN pg_catalog.pg_locks l ON l.pid = a.pid
        WHERE l.relation = '\(schema).head'::regclass AND l.granted
            AND a.datname = current_database() AND a.pid <> pg_backend_pid()
        """
    }

    private static func known(_ schema: String) -> String {
        """
        SELECT key, position, evidence_hash, payload_hash FROM \(schema).events
        WHERE key = ANY ($1::bytea[])
        UNION ALL
        (SELECT identity, position, evidence_hash, payload_hash FROM \(schema).events
        WHERE identity = ANY ($1::bytea[]) ORDER BY position)
        """
    }

    /// Rows beyond the byte bound have no bytes: the first one marks the end of the page.
    private static func evidence(_ schema: String) -> String {
        """
        SELECT position, form, CASE WHEN before < $4::bigint THEN bytes END,
            before >= $4::bigint
        FROM (
            SELECT position, form, bytes,
                coalesce(sum(octet_length(bytes)) OVER (
                    ORDER BY position ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)
                AS before
            FROM (
                SELECT position, form, bytes FROM \(schema).evidence
                WHERE position > $1::bigint AND position <= $2::bigint
                ORDER BY position LIMIT $3::bigint
            ) AS page
        ) AS sized ORDER BY position
        """
    }
}

extension LogStatements {
    /// The rows after a position and their evidence: two ranges side by side.
    func page(after position: Int64, through: Int64, limit: Int) -> [Command] {
        func bind(_ parameters: inout Parameters) {
            parameters.add(position)
            parameters.add(through)
            parameters.add(limit)
        }
        return [
            events.with { bind(&$0) },
            evidence.with {
                bind(&$0)
                $0.add(LogLimits.pageByteCount)
            },
        ]
    }
}

struct ErasureStatements: Sendable {
    let newer: Statement
    let eraseEvents: Statement
    let eraseEvidence: Statement

    /// - Parameter schema: quoted.
    init(_ schema: String) {
        newer = Statement(
            """
            SELECT count(*) FROM \(schema).events WHERE position > $1::bigint
                AND (chain = ANY ($2::bytea[]) OR (chain IS NULL AND kind NOT IN (9, 10)))
            """)
        eraseEvents = Statement(
            """
            UPDATE \(schema).events SET chain = NULL, notification_uuid = NULL
            WHERE position = ANY ($1::bigint[])
            """)
        eraseEvidence = Statement(
            "UPDATE \(schema).evidence SET bytes = NULL WHERE position = ANY ($1::bigint[])")
    }
}
