public import LedgerStore

/// The nodes and their leases.
extension PostgresOperations {
    public func noteNode(at position: Int64) async throws(StoreError) {
        try await once { [node] transaction in
            try transaction.run(
                """
                INSERT INTO @nodes (id, name, position, seen_at)
                VALUES (convert_from($1::bytea, 'UTF8'), convert_from($2::bytea, 'UTF8'),
                    $3::bigint, clock_timestamp())
                ON CONFLICT (id) DO UPDATE SET name = excluded.name, position = excluded.position,
                    seen_at = excluded.seen_at
                """, node, PostgresOperations.processName, position)
            return
        }
    }

    public func nodes() async throws(StoreError) -> [NodeRow] {
        try await rows(
            """
            SELECT id, name, position,
                (extract(epoch FROM clock_timestamp() - seen_at) * 1000)::bigint
            FROM @nodes
            WHERE seen_at > clock_timestamp() - interval '1 day' AND seen_at <= \(latest)
            ORDER BY name, id
            """
        ) { row in
            NodeRow(
                id: try row.requiredText(0), name: try row.requiredText(1),
                position: try row.int64(2), silentMilliseconds: max(0, try row.int64(3)))
        }
    }

    public func leases() async throws(StoreError) -> [LeaseRow] {
        try await rows(
            """
            SELECT name, holder, (extract(epoch FROM until - clock_timestamp()) * 1000)::bigint
            FROM @leases WHERE until > clock_timestamp() AND until <= \(latest) ORDER BY name
            """
        ) { row in
            LeaseRow(
                task: try row.requiredText(0), node: try row.requiredText(1),
                leftMilliseconds: try row.int64(2))
        }
    }
}
