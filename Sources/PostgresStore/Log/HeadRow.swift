internal import AppStore
internal import LedgerStore

/// The one row of `head`.
struct HeadRow {
    let tree: CompactRange
    let newestReceivedAt: Timestamp?

    /// Throws `fileCorrupt` when the row is missing or contradicts itself.
    init(_ result: QueryResult, location: String) throws {
        guard let row = result.first,
            let tree = CompactRange(size: try row.int64(0), bytes: row.bytes(1)),
            row.digest(2) == tree.root
        else {
            throw StoreError.contradiction(location, "The head row contradicts itself.")
        }
        self.tree = tree
        newestReceivedAt = try row.optionalTime(3)
    }
}
