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
            try keyed.map { try Rows(database: database).add($0.0, $0.1) }
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

    public func quarantined(
        before id: Int64?, limit: Int
    ) async throws(StoreError) -> [QuarantineItem] {
        let limit = max(1, min(limit, QuarantineLimits.pageCount))
        return try await read { database in
            try database.rows(
                """
                SELECT \(OperationsStore.itemColumns), x'' FROM quarantine
                WHERE id < ? ORDER BY id DESC LIMIT ?
                """, id ?? .max, limit, read: OperationsStore.item)
        }
    }

    public func quarantineTotals() async throws(StoreError) -> [QuarantineTotal] {
        try await read { database in
            try database.rows(
                "SELECT standing, items, bytes FROM quarantine_totals ORDER BY standing"
            ) { row in
                QuarantineStanding(code: row.int64(0)).map {
                    QuarantineTotal(
                        standing: $0, itemCount: row.int64(1), byteCount: row.int64(2))
                }
            }
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
        try await write { try Rows(database: $0).remove(id) }
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

/// The rows in this file, inside one transaction.
private struct Rows: QuarantineRows {
    let database: Database

    func row(of digest: Digest) throws -> QuarantineRow? { try find("digest = ?", digest) }

    func row(_ id: Int64) throws -> QuarantineRow? { try find("id = ?", id) }

    private func find(_ condition: String, _ value: any BoundValue) throws -> QuarantineRow? {
        try database.rows(
            "SELECT id, standing, length(bytes) FROM quarantine WHERE \(condition)", value
        ) { QuarantineRow(id: $0.int64(0), standing: $0.int64(1), byteCount: $0.int64(2)) }.first
    }

    func oldest(_ standing: QuarantineStanding) throws -> Int64? {
        try database.rows(
            "SELECT min(id) FROM quarantine WHERE standing = ?", standing.code
        ) { $0.optionalInt64(0) }.first ?? nil
    }

    func count(_ standing: QuarantineStanding, of bundleId: BundleId?) throws -> Int64 {
        try database.rows(
            "SELECT count(*) FROM quarantine WHERE standing = ? AND bundle_id IS ?",
            standing.code, bundleId
        ) { $0.int64(0) }.first ?? 0
    }

    func insert(
        _ item: NewQuarantineItem, _ digest: Digest, keeping bytes: [UInt8]
    ) throws -> Int64 {
        try database.insert(
            into: "quarantine",
            [
                "digest": digest, "received_at": item.receivedAt, "latest_at": item.receivedAt,
                "attempts": 1, "standing": item.standing.code, "code": item.code,
                "part": item.part, "message": item.message, "bundle_id": item.bundleId,
                "environment": item.environment, "input": item.input,
                "byte_count": item.bytes.count, "bytes": bytes,
            ])
        return database.lastInsertedRowID
    }

    func update(_ id: Int64, _ item: NewQuarantineItem, keeping bytes: [UInt8]) throws {
        try database.run(
            """
            UPDATE quarantine SET latest_at = max(latest_at, ?2), attempts = attempts + 1,
                standing = ?3, code = ?4, part = ?5, message = ?6, bundle_id = ?7,
                environment = ?8, bytes = ?9
            WHERE id = ?1
            """, id, item.receivedAt, item.standing.code, item.code, item.part,
            item.message, item.bundleId, item.environment, bytes)
    }

    func delete(_ id: Int64) throws { try database.run("DELETE FROM quarantine WHERE id = ?", id) }

    func totals(_ standing: QuarantineStanding) throws -> (items: Int64, bytes: Int64) {
        try database.rows(
            "SELECT items, bytes FROM quarantine_totals WHERE standing = ?", standing.code
        ) { (items: $0.int64(0), bytes: $0.int64(1)) }.first ?? (0, 0)
    }

    func addToTotals(_ standing: Int64, items: Int64, bytes: Int64) throws {
        try database.run(
            """
            UPDATE quarantine_totals SET items = items + ?2, bytes = bytes + ?3
            WHERE standing = ?1
            """, standing, items, bytes)
    }
}
