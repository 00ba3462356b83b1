internal import LedgerStore

/// The statements of an audit. Walks read an index in order: `enable_seqscan` is off, and only the
/// index provides the ORDER BY.
struct AuditStatements: Sendable {
    let headers = Statement("SELECT id, hash, bytes FROM @headers ORDER BY id")
    let keys = AuditStatements.index(of: "key")
    let identities = AuditStatements.index(of: "identity")
    let tables = Statement(
        """
        SELECT c.relname FROM pg_catalog.pg_class c
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = convert_from($1::bytea, 'UTF8') AND c.relkind = 'r'
        """)
    let objects = Statement(
        """
        SELECT 'trigger', t.tgname FROM pg_catalog.pg_trigger t
        JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = convert_from($1::bytea, 'UTF8') AND NOT t.tgisinternal
            AND t.tgenabled IN ('O', 'A')
        UNION ALL
        SELECT 'index', c.relname FROM pg_catalog.pg_index i
        JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = convert_from($1::bytea, 'UTF8') AND i.indisvalid AND i.indisready
        """)

    private static func index(of column: String) -> Statement {
        Statement(
            """
            SELECT \(column), position FROM @events
            WHERE \(column) IS NOT NULL AND \(column) >= $1::bytea
                AND (\(column), position) > ($1::bytea, $2::bigint)
            ORDER BY \(column), position LIMIT \(LogLimits.pageEventCount)
            """)
    }

    /// Triggers and indexes that must be there, enabled and valid.
    static let objects: Set<String> = [
        "ledger_immutable", "events_immutable", "events_erased_only", "events_erasing",
        "evidence_immutable", "evidence_erased_only", "evidence_erasing", "headers_immutable",
        "head_immutable", "events_pkey", "events_key", "events_identity", "events_sweeps",
        "events_erasures", "events_decisions", "events_version_one",
        "evidence_pkey", "headers_pkey", "headers_hash_key", "head_pkey",
    ]
}
