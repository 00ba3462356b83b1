internal import GRDB
public import LedgerStore

/// The quarantine: inputs that could not be accepted, with the reason, within bounds.
extension OperationsStore: QuarantineStore {
    /// Stores an input, or counts another delivery of the same bytes, and updates reason and
    /// standing to the latest.
    ///
    /// Throws `diskFull`, `fileLocked`, `fileReadOnly`, `fileCorrupt` or `ioError`.
    public func quarantine(
        _ item: NewQuarantineItem
    ) async throws(StoreError) -> QuarantineResult {
        try await write { try QuarantineWriter.add(item, to: $0) }
    }

    /// Items after `id`, oldest first, without their bytes; at most `limit`, itself at most
    /// `QuarantineLimits.pageCount`.
    public func quarantined(
        after id: Int64 = 0, limit: Int = QuarantineLimits.pageCount
    ) async throws(StoreError) -> [QuarantineItem] {
        let limit = max(1, min(limit, QuarantineLimits.pageCount))
        return try await read { database in
            let select = try PreparedStatement(
                database,
                """
                SELECT \(QuarantineRow.columns), x'' FROM quarantine
                WHERE id > ? ORDER BY id LIMIT ?
                """)
            select.bind(1, id)
            select.bind(2, Int64(limit))
            defer { select.reset() }
            var items: [QuarantineItem] = []
            while try select.step() {
                if let item = QuarantineRow.read(select) { items.append(item) }
            }
            return items
        }
    }

    /// One item with its bytes, or nil when there is none.
    public func quarantineItem(_ id: Int64) async throws(StoreError) -> QuarantineItem? {
        try await read { database in
            let select = try PreparedStatement(
                database, "SELECT \(QuarantineRow.columns), bytes FROM quarantine WHERE id = ?")
            select.bind(1, id)
            defer { select.reset() }
            return try select.step() ? QuarantineRow.read(select) : nil
        }
    }

    /// Removes an item after it was accepted or dismissed; false when there was none.
    public func removeFromQuarantine(_ id: Int64) async throws(StoreError) -> Bool {
        try await write { try QuarantineWriter(database: $0).remove(id) }
    }
}
