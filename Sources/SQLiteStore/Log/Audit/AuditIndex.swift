internal import AppStore
internal import GRDB
internal import LedgerStore

/// An index of `events` by a digest, walked in index order without the rows.
struct AuditIndex: Sendable {
    private let column: String
    private let name: String

    static let keys = AuditIndex(column: "key", name: "events_key")
    static let identities = AuditIndex(column: "identity", name: "events_identity")

    /// A page of entries after `entry`, empty at the end. Nil when the index is damaged: an entry
    /// is not a digest, is out of order, or is not found by a search.
    func entries(_ database: Database, after entry: AuditIndexEntry?) throws -> [AuditIndexEntry]? {
        let select = try PreparedStatement(
            database,
            """
            SELECT \(column), position FROM events INDEXED BY \(name)
            WHERE \(column) IS NOT NULL AND (\(column), position) > (?, ?)
            ORDER BY \(column), position LIMIT ?
            """)
        // The walk steps from entry to entry; an append searches the tree from the root.
        let find = try PreparedStatement(
            database,
            """
            SELECT 1 FROM events INDEXED BY \(name) WHERE \(column) = ? AND position = ?
            """)
        if let entry { select.bind(1, entry.digest) } else { select.bind(1, [UInt8]()) }
        select.bind(2, entry?.position ?? .min)
        select.bind(3, Int64(LogLimits.pageEventCount))
        defer { select.reset() }
        var page: [AuditIndexEntry] = []
        var last = entry
        while try select.step() {
            guard select.storageClass(0) == .blob, let digest = select.digest(0) else { return nil }
            let next = (digest: digest, position: select.int64(1))
            if let last, last >= next { return nil }
            find.bind(1, next.digest)
            find.bind(2, next.position)
            guard try find.step() else { return nil }
            find.reset()
            page.append(next)
            last = next
        }
        return page
    }
}
