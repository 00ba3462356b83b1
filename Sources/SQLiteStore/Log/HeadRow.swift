internal import AppStore
internal import GRDB
internal import LedgerStore

/// The one row of `head`.
struct HeadRow {
    let tree: CompactRange
    let newestReceivedAt: Timestamp?

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
        let newest = select.optionalInt64(3).map(Timestamp.init(milliseconds:))
        return HeadRow(tree: tree, newestReceivedAt: newest)
    }

    func write(_ database: Database) throws {
        let update = try PreparedStatement(
            database,
            "UPDATE head SET position = ?, tree = ?, root = ?, newest_received_at = ? WHERE id = 1")
        update.bind(1, tree.size)
        update.bind(2, tree.bytes)
        update.bind(3, tree.root)
        update.bind(4, newestReceivedAt?.milliseconds)
        _ = try update.run()
    }
}
