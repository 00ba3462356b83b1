internal import AppStore
internal import GRDB
internal import LedgerStore

extension AuditHead {
    /// Nil when there is no head row.
    static func read(_ database: Database) throws -> AuditHead? {
        let select = try PreparedStatement(
            database,
            """
            SELECT position, tree, root, newest_received_at,
                coalesce((SELECT max(position) FROM events), 0)
            FROM head WHERE id = 1
            """)
        defer { select.reset() }
        guard try select.step() else { return nil }
        return AuditHead(
            position: select.int64(0), tree: select.bytes(1), root: select.digest(2),
            newestReceivedAt: select.optionalInt64(3).map(Timestamp.init(milliseconds:)),
            lastPosition: select.int64(4),
            extent: try AuditExtent.read(database, lastPosition: select.int64(4)))
    }
}
