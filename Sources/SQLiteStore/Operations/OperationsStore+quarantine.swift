internal import AppStore
internal import GRDB
public import LedgerStore
internal import Signing

/// The quarantine: inputs that could not be accepted, with the reason, within bounds.
extension OperationsStore {
    public func quarantine(
        _ items: [NewQuarantineItem]
    ) async throws(StoreError) -> [QuarantineResult] {
        let keyed = items.map { ($0, SHA256.hash($0.bytes)) }
        return try await write { database in
            try keyed.map { try QuarantineWriter(database: database).add($0.0, $0.1) }
        }
    }

    public func quarantineCount() async throws(StoreError) -> Int {
        try await read { try Int.fetchOne($0, sql: "SELECT count(*) FROM quarantine") ?? 0 }
    }

    public func quarantined(
        after id: Int64, limit: Int
    ) async throws(StoreError) -> [QuarantineItem] {
        let limit = max(1, min(limit, QuarantineLimits.pageCount))
        return try await read { database in
            try database.rows(
                """
                SELECT \(OperationsStore.itemColumns), x'' FROM quarantine
                WHERE id > ? ORDER BY id LIMIT ?
                """, id, limit, read: OperationsStore.item)
        }
    }

    public func quarantineItem(_ id: Int64) async throws(StoreError) -> QuarantineItem? {
        try await read { database in
            try database.rows(
                "SELECT \(OperationsStore.itemColumns), bytes FROM quarantine WHERE id = ?", id,
                read: OperationsStore.item
            ).first
        }
    }

    public func removeFromQuarantine(_ id: Int64) async throws(StoreError) -> Bool {
        try await write { try QuarantineWriter(database: $0).remove(id) }
    }

    /// The columns that `item` reads; the bytes follow.
    private static let itemColumns = """
        id, received_at, latest_at, attempts, standing, code, part, message, bundle_id, \
        environment, input, byte_count
        """

    /// Nil when a value is unknown to this release.
    private static func item(_ row: PreparedStatement) -> QuarantineItem? {
        guard let standing = QuarantineStanding(code: row.int64(4)), let code = row.text(5),
            let message = row.text(7), let input = row.text(10)
        else { return nil }
        return QuarantineItem(
            id: row.int64(0), receivedAt: row.time(1), latestAt: row.time(2),
            attempts: row.int64(3), standing: standing, code: code, part: row.text(6),
            message: message, bundleId: row.text(8).map(BundleId.init), environment: row.text(9),
            input: input, byteCount: row.int64(11), bytes: row.bytes(12))
    }
}
