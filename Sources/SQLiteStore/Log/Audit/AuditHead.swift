internal import AppStore
internal import GRDB
internal import LedgerStore

/// The head row as an audit reads it, with the last row at the same moment.
struct AuditHead: Sendable {
    let position: Int64
    let tree: [UInt8]
    let root: Digest?
    let newestReceivedAt: Timestamp?
    /// The largest position in `events`, 0 for none.
    let lastPosition: Int64
    let extent: AuditExtent

    /// Whether size, tree and root agree and the rows end where the head row states.
    var isConsistent: Bool {
        CompactRange(size: position, bytes: tree)?.root == root && lastPosition == position
    }

    /// For the report; nil when the root cannot be read.
    var row: LogHead? {
        root.map { LogHead(position: position, root: $0, newestReceivedAt: newestReceivedAt) }
    }

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
