internal import AppStore
internal import GRDB
internal import LedgerStore

/// The one row of `head`.
struct HeadRow {
    let tree: CompactRange
    let newestReceivedAt: Timestamp?

    var head: LogHead {
        LogHead(position: tree.size, root: tree.root, newestReceivedAt: newestReceivedAt)
    }

    /// Throws `fileCorrupt` when the row is missing or contradicts itself.
    static func read(_ database: Database, path: String) throws -> HeadRow {
        let select = try PreparedStatement(
            database, "SELECT position, tree, root, newest_received_at FROM head WHERE id = 1")
        defer { select.reset() }
        guard try select.step(),
            let tree = CompactRange(size: select.int64(0), bytes: select.bytes(1)),
            select.digest(2) == tree.root
        else {
            throw StoreError.corrupt(path: path, "The head row contradicts itself.")
        }
        let newest = select.optionalTime(3)
        return HeadRow(tree: tree, newestReceivedAt: newest)
    }

    func write(_ database: Database) throws {
        try database.run(
            "UPDATE head SET position = ?, tree = ?, root = ?, newest_received_at = ? WHERE id = 1",
            tree.size, tree.bytes, tree.root, newestReceivedAt)
    }
}
