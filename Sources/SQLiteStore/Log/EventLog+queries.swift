public import AppStore
internal import GRDB
public import LedgerStore

/// The tree, and what waits to be appended.
extension EventLog {
    public func tree() async throws(StoreError) -> CompactRange {
        try await read { [path] database in try HeadRow.read(database, path: path).tree }
    }

    /// In one read: every checkpoint and every proof needs both.
    public func edge() async throws(StoreError) -> (head: LogHead, leaves: [Digest]) {
        try await read { [path] database in
            let head = try HeadRow.read(database, path: path).head
            let leaves = try FileTables(database: database).leafHashes(
                after: head.lastBlockEnd, through: head.position)
            return (head: head, leaves: leaves)
        }
    }

    public func extended(
        _ tree: CompactRange, through end: Int64
    ) async throws(StoreError) -> CompactRange? {
        try await read { database in
            let select = try PreparedStatement(
                database,
                """
                SELECT position, leaf_hash FROM events
                WHERE position > ? AND position <= ? ORDER BY position
                """)
            select.bind(1, tree.size)
            select.bind(2, end)
            defer { select.reset() }
            var tree = tree
            while try select.step() {
                guard select.int64(0) == tree.size + 1, let leaf = select.digest(1) else {
                    return nil
                }
                tree.append(leaf)
            }
            return tree
        }
    }

    public var waiting: (eventCount: Int, byteCount: Int) { commits.waiting }

    public var writingSince: ContinuousClock.Instant? { commits.writingSince }
}
