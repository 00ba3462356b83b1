internal import AppStore
internal import Signing

/// The quarantine: inputs that could not be accepted, with the reason, within bounds.
extension OperationalState {
    /// Stores inputs, or counts another delivery of the same bytes, and updates reason and standing
    /// to the latest; results in their order.
    ///
    /// Throws `diskFull`, `fileLocked`, `fileReadOnly`, `fileCorrupt` or `ioError`.
    public func quarantine(
        _ items: [NewQuarantineItem]
    ) async throws(StoreError) -> [QuarantineResult] {
        let keyed = items.map { ($0, SHA256.hash($0.bytes)) }
        return try await writeTables(.quarantine) { tables in
            try keyed.map { try QuarantineRows(tables: tables).add($0.0, $0.1) }
        }
    }

    /// Keeps one item.
    public func quarantine(_ item: NewQuarantineItem) async throws(StoreError) -> QuarantineResult {
        try await quarantine([item])[0]
    }

    /// The number of items in quarantine.
    public func quarantineCount() async throws(StoreError) -> Int {
        try await readTables { try $0.count("quarantine") }
    }

    /// Items after `id`, oldest first, without bytes; at most `limit`.
    public func quarantined(
        after id: Int64 = 0, limit: Int = QuarantineLimits.pageCount
    ) async throws(StoreError) -> [QuarantineItem] {
        try await quarantineItems("''::bytea", "id > $1::bigint ORDER BY id", id, limit)
    }

    /// Items before `id` (nil: the newest), newest first, without bytes; at most `limit`.
    public func quarantined(
        before id: Int64?, limit: Int
    ) async throws(StoreError) -> [QuarantineItem] {
        try await quarantineItems(
            "''::bytea", "id < $1::bigint ORDER BY id DESC", id ?? .max, limit)
    }

    /// What is in quarantine, for every standing in the order of their codes; costs no scan.
    public func quarantineTotals() async throws(StoreError) -> [QuarantineTotal] {
        try await rows(
            "SELECT standing, items, bytes FROM @quarantine_totals ORDER BY standing"
        ) { row in
            let (items, bytes) = (try row.int64(1), try row.int64(2))
            return QuarantineStanding(code: try row.int64(0)).map {
                QuarantineTotal(standing: $0, itemCount: items, byteCount: bytes)
            }
        }
    }

    /// One item with its bytes; nil where there is none.
    public func quarantineItem(_ id: Int64) async throws(StoreError) -> QuarantineItem? {
        try await quarantineItems("bytes", "id = $1::bigint", id, 1).first
    }

    /// Whether the item was there.
    public func removeFromQuarantine(_ id: Int64) async throws(StoreError) -> Bool {
        try await writeTables(.quarantine) { try QuarantineRows(tables: $0).remove(id) }
    }

    /// Items without values that are unknown to this release.
    private func quarantineItems(
        _ bytes: String, _ condition: String, _ id: Int64, _ limit: Int
    ) async throws(StoreError) -> [QuarantineItem] {
        try await rows(
            """
            SELECT id, received_at, latest_at, attempts, standing, code, part, message, bundle_id,
                environment, input, byte_count, \(bytes)
            FROM @quarantine WHERE \(condition) LIMIT $2::bigint
            """, id, limit
        ) { row in
            guard let standing = QuarantineStanding(code: try row.int64(4)),
                let code = row.text(5), let message = row.text(7), let input = row.text(10)
            else { return nil }
            return QuarantineItem(
                id: try row.int64(0), receivedAt: try row.time(1), latestAt: try row.time(2),
                attempts: try row.int64(3), standing: standing, code: code, part: row.text(6),
                message: message, bundleId: row.text(8).map(BundleId.init),
                environment: row.text(9), input: input, byteCount: try row.int64(11),
                bytes: row.bytes(12))
        }
    }
}
