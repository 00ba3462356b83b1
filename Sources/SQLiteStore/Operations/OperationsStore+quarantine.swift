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

/// Writes to the quarantine inside one transaction, and updates the totals.
struct QuarantineWriter {
    let database: Database

    /// Adds one item, keyed by the digest of its bytes.
    func add(_ offered: NewQuarantineItem, _ digest: Digest) throws -> QuarantineResult {
        var item = offered
        let known = try find("digest = ?", digest)
        // The same bytes may have had another standing before.
        if try known?.standing != item.standing.code && !admits(item) {
            guard let otherwise = item.otherwise else { return .refused }
            item.standing = otherwise
            guard try admits(item) else { return .refused }
        }
        if let known {
            try update(known, item)
            try dropOldest()
            return .repeated(id: known.id)
        }
        let id = try insert(item, digest)
        try dropOldest()
        return .kept(id: id)
    }

    func remove(_ id: Int64) throws -> Bool {
        guard let known = try find("id = ?", id) else { return false }
        try move(known.standing, items: -1, bytes: -known.byteCount)
        return try database.run("DELETE FROM quarantine WHERE id = ?", id) == 1
    }

    // MARK: One row

    private struct KnownItem {
        let id: Int64
        let standing: Int64
        let byteCount: Int64
    }

    private func find(_ condition: String, _ value: any BoundValue) throws -> KnownItem? {
        try database.rows(
            "SELECT id, standing, length(bytes) FROM quarantine WHERE \(condition)", value
        ) { KnownItem(id: $0.int64(0), standing: $0.int64(1), byteCount: $0.int64(2)) }.first
    }

    private func insert(_ item: NewQuarantineItem, _ digest: Digest) throws -> Int64 {
        let bytes = copy(item)
        try database.insert(
            into: "quarantine",
            [
                "digest": digest, "received_at": item.receivedAt, "latest_at": item.receivedAt,
                "attempts": 1, "standing": item.standing.code, "code": item.code,
                "part": item.part, "message": item.message, "bundle_id": item.bundleId,
                "environment": item.environment, "input": item.input,
                "byte_count": item.bytes.count, "bytes": bytes,
            ])
        let id = database.lastInsertedRowID
        try move(item.standing.code, items: 1, bytes: Int64(bytes.count))
        return id
    }

    private func update(_ known: KnownItem, _ item: NewQuarantineItem) throws {
        let bytes = copy(item)
        try database.run(
            """
            UPDATE quarantine SET latest_at = max(latest_at, ?2), attempts = attempts + 1,
                standing = ?3, code = ?4, part = ?5, message = ?6, bundle_id = ?7,
                environment = ?8, bytes = ?9
            WHERE id = ?1
            """, known.id, item.receivedAt, item.standing.code, item.code, item.part,
            item.message, item.bundleId, item.environment, bytes)
        try move(known.standing, items: -1, bytes: -known.byteCount)
        try move(item.standing.code, items: 1, bytes: Int64(bytes.count))
    }

    /// The stored copy: all of a genuine or possibly genuine input, a bounded prefix of any other.
    private func copy(_ item: NewQuarantineItem) -> [UInt8] {
        guard item.standing == .unverifiable else { return item.bytes }
        return Array(item.bytes.prefix(QuarantineLimits.unverifiableCopyByteCount))
    }

    // MARK: Bounds

    /// Only genuine inputs of unconfigured apps, and possibly genuine ones of apps without a
    /// secret, can be refused: the first ones are kept, since Apple resends refused ones.
    private func admits(_ item: NewQuarantineItem) throws -> Bool {
        if item.standing == .awaitingSecret {
            let total = try totals(item.standing)
            return total.items < QuarantineLimits.awaitingSecretCount
                && total.bytes + Int64(item.bytes.count)
                    <= QuarantineLimits.awaitingSecretByteCount
        }
        guard item.standing == .genuineForeign else { return true }
        let count = try database.rows(
            "SELECT count(*) FROM quarantine WHERE standing = ? AND bundle_id IS ?",
            item.standing.code, item.bundleId
        ) { $0.int64(0) }.first
        guard let count, count < QuarantineLimits.foreignCountPerBundle else { return false }
        return try totals(item.standing).items < QuarantineLimits.foreignCount
    }

    private func dropOldest() throws {
        while true {
            let total = try totals(.unverifiable)
            guard
                total.items > QuarantineLimits.unverifiableCount
                    || total.bytes > QuarantineLimits.unverifiableByteCount
            else { return }
            guard let id = try oldestUnverifiable(), try remove(id) else { return }
        }
    }

    private func oldestUnverifiable() throws -> Int64? {
        try database.rows(
            "SELECT min(id) FROM quarantine WHERE standing = ?",
            QuarantineStanding.unverifiable.code
        ) { $0.optionalInt64(0) }.first
    }

    private func totals(_ standing: QuarantineStanding) throws -> (items: Int64, bytes: Int64) {
        try database.rows(
            "SELECT items, bytes FROM quarantine_totals WHERE standing = ?", standing.code
        ) { (items: $0.int64(0), bytes: $0.int64(1)) }.first ?? (0, 0)
    }

    private func move(_ standing: Int64, items: Int64, bytes: Int64) throws {
        try database.run(
            """
            UPDATE quarantine_totals SET items = items + ?2, bytes = bytes + ?3
            WHERE standing = ?1
            """, standing, items, bytes)
    }
}
