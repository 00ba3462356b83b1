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
            try keyed.map { try Rows(transaction: transaction).add($0.0, $0.1) }
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

    public func quarantined(
        before id: Int64?, limit: Int
    ) async throws(StoreError) -> [QuarantineItem] {
        let limit = max(1, min(limit, QuarantineLimits.pageCount))
        return try await read { transaction in
            try transaction.run(
                """
                SELECT \(PostgresOperations.itemColumns), ''::bytea FROM @quarantine
                WHERE id < $1::bigint ORDER BY id DESC LIMIT $2::bigint
                """, id ?? .max, limit
            ).rows.compactMap(PostgresOperations.item)
        }
    }

    public func quarantineTotals() async throws(StoreError) -> [QuarantineTotal] {
        try await read { transaction in
            try transaction.run(
                "SELECT standing, items, bytes FROM @quarantine_totals ORDER BY standing"
            ).rows.compactMap { row in
                let (items, bytes) = (try row.int64(1), try row.int64(2))
                return QuarantineStanding(code: try row.int64(0)).map {
                    QuarantineTotal(standing: $0, itemCount: items, byteCount: bytes)
                }
            }
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
        try await write(.quarantine) { try Rows(transaction: $0).remove(id) }
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

/// The rows in a schema, inside one transaction that has locked the area.
private struct Rows: QuarantineRows {
    let transaction: OperationsTransaction

    func row(of digest: Digest) throws -> QuarantineRow? { try find("digest = $1::bytea", digest) }

    func row(_ id: Int64) throws -> QuarantineRow? { try find("id = $1::bigint", id) }

    private func find(_ condition: String, _ value: any BoundValue) throws -> QuarantineRow? {
        try transaction.run(
            "SELECT id, standing, octet_length(bytes) FROM @quarantine WHERE \(condition)", value
        ).first.map {
            QuarantineRow(
                id: try $0.int64(0), standing: try $0.int64(1), byteCount: try $0.int64(2))
        }
    }

    func oldest(_ standing: QuarantineStanding) throws -> Int64? {
        try transaction.run(
            "SELECT min(id) FROM @quarantine WHERE standing = $1::bigint", standing.code
        ).first?.optionalInt64(0)
    }

    func count(_ standing: QuarantineStanding, of bundleId: BundleId?) throws -> Int64 {
        try transaction.run(
            """
            SELECT count(*) FROM @quarantine
            WHERE standing = $1::bigint AND bundle_id IS NOT DISTINCT FROM $2::bytea
            """, standing.code, bundleId
        ).first?.int64(0) ?? 0
    }

    func insert(
        _ item: NewQuarantineItem, _ digest: Digest, keeping bytes: [UInt8]
    ) throws -> Int64 {
        let id = try transaction.nextId(of: .quarantine)
        try transaction.run(
            """
            INSERT INTO @quarantine (id, digest, received_at, latest_at, attempts, standing, code,
                part, message, bundle_id, environment, input, byte_count, bytes)
            VALUES ($1::bigint, $2::bytea, $3::bigint, $3::bigint, 1, $4::bigint, $5::bytea,
                $6::bytea, $7::bytea, $8::bytea, $9::bytea, $10::bytea, $11::bigint, $12::bytea)
            """, id, digest, item.receivedAt, item.standing.code, item.code, item.part,
            item.message, item.bundleId, item.environment, item.input, item.bytes.count, bytes)
        return id
    }

    func update(_ id: Int64, _ item: NewQuarantineItem, keeping bytes: [UInt8]) throws {
        try transaction.run(
            """
            UPDATE @quarantine SET latest_at = greatest(latest_at, $2::bigint),
                attempts = attempts + 1, standing = $3::bigint, code = $4::bytea,
                part = $5::bytea, message = $6::bytea, bundle_id = $7::bytea,
                environment = $8::bytea, bytes = $9::bytea
            WHERE id = $1::bigint
            """, id, item.receivedAt, item.standing.code, item.code, item.part,
            item.message, item.bundleId, item.environment, bytes)
    }

    func delete(_ id: Int64) throws {
        try transaction.run("DELETE FROM @quarantine WHERE id = $1::bigint", id)
    }

    func totals(_ standing: QuarantineStanding) throws -> (items: Int64, bytes: Int64) {
        let row = try transaction.run(
            "SELECT items, bytes FROM @quarantine_totals WHERE standing = $1::bigint",
            standing.code
        ).first
        return try row.map { (items: try $0.int64(0), bytes: try $0.int64(1)) } ?? (0, 0)
    }

    func addToTotals(_ standing: Int64, items: Int64, bytes: Int64) throws {
        try transaction.run(
            """
            UPDATE @quarantine_totals
            SET items = items + $2::bigint, bytes = bytes + $3::bigint
            WHERE standing = $1::bigint
            """, standing, items, bytes)
    }
}
