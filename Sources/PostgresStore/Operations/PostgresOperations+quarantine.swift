internal import AppStore
public import LedgerStore
internal import Signing

/// The quarantine: inputs that could not be accepted, with the reason, within bounds.
extension PostgresOperations {
    public func quarantine(
        _ items: [NewQuarantineItem]
    ) async throws(StoreError) -> [QuarantineResult] {
        let keyed = items.map { ($0, SHA256.hash($0.bytes)) }
        return try await write(.quarantine) { transaction in
            try keyed.map { try QuarantineWriter(transaction: transaction).add($0.0, $0.1) }
        }
    }

    public func quarantineCount() async throws(StoreError) -> Int {
        try await read { Int(try $0.run("SELECT count(*) FROM @quarantine").first?.int64(0) ?? 0) }
    }

    public func quarantined(
        after id: Int64, limit: Int
    ) async throws(StoreError) -> [QuarantineItem] {
        let limit = max(1, min(limit, QuarantineLimits.pageCount))
        return try await read { transaction in
            try transaction.run(
                """
                SELECT \(PostgresOperations.itemColumns), ''::bytea FROM @quarantine
                WHERE id > $1::bigint ORDER BY id LIMIT $2::bigint
                """, id, limit
            ).rows.compactMap(PostgresOperations.item)
        }
    }

    public func quarantineItem(_ id: Int64) async throws(StoreError) -> QuarantineItem? {
        try await read { transaction in
            let row = try transaction.run(
                """
                SELECT \(PostgresOperations.itemColumns), bytes FROM @quarantine
                WHERE id = $1::bigint
                """, id
            ).first
            return try row.flatMap(PostgresOperations.item)
        }
    }

    public func removeFromQuarantine(_ id: Int64) async throws(StoreError) -> Bool {
        try await write(.quarantine) { try QuarantineWriter(transaction: $0).remove(id) }
    }

    /// The columns that `item` reads; the bytes follow.
    private static let itemColumns = """
        id, received_at, latest_at, attempts, standing, code, part, message, bundle_id, \
        environment, input, byte_count
        """

    /// Nil when a value is unknown to this release.
    private static func item(_ row: ResultRow) throws -> QuarantineItem? {
        guard let standing = QuarantineStanding(code: try row.int64(4)), let code = row.text(5),
            let message = row.text(7), let input = row.text(10)
        else { return nil }
        return QuarantineItem(
            id: try row.int64(0), receivedAt: try row.time(1), latestAt: try row.time(2),
            attempts: try row.int64(3), standing: standing, code: code, part: row.text(6),
            message: message, bundleId: row.text(8).map(BundleId.init), environment: row.text(9),
            input: input, byteCount: try row.int64(11), bytes: row.bytes(12))
    }
}
