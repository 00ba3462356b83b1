internal import AppStore

/// The head row as an audit reads it, and the contents of the other tables at that moment: later
/// rows belong to concurrent appends.
package struct AuditHead: Sendable {
    let position: Int64
    let tree: [UInt8]
    let root: Digest?
    let newestReceivedAt: Timestamp?
    /// The largest position in `events`, 0 for none.
    package let lastPosition: Int64
    let headerCount: Int64
    /// 0 for none.
    let largestHeader: Int64
    let smallestHeader: Int64
    /// Positions of evidence without an event, the first `LogAuditReport.findingLimit`.
    let surplusEvidence: [Int64]

    /// The tables of the log.
    private static let tables = ["events", "evidence", "head", "headers"]

    /// Why a log with these tables cannot be read: each that is missing, else damage.
    package static func findings(having names: [String]) -> [LogFinding] {
        let missing = tables.filter { !names.contains($0) }
        guard !missing.isEmpty else { return [LogFinding(.fileDamaged)] }
        return missing.map { LogFinding(.fileDamaged, table: $0) }
    }

    /// Nil when there is no head row.
    ///
    /// - Parameter row: the condition that holds for the head row.
    package static func read(
        _ tables: any SQLTables, where row: String
    ) throws -> AuditHead? {
        let surplus = try surplusEvidence(tables)
        return try tables.rows(
            """
            SELECT position, tree, root, newest_received_at,
                coalesce((SELECT max(position) FROM @events), 0),
                (SELECT count(*) FROM @headers), (SELECT coalesce(max(id), 0) FROM @headers),
                (SELECT coalesce(min(id), 0) FROM @headers)
            FROM @head WHERE \(row)
            """
        ) { row in
            AuditHead(
                position: try row.int64(0), tree: row.bytes(1), root: row.digest(2),
                newestReceivedAt: try row.optionalTime(3), lastPosition: try row.int64(4),
                headerCount: try row.int64(5), largestHeader: try row.int64(6),
                smallestHeader: try row.int64(7), surplusEvidence: surplus)
        }.first
    }

    /// Positions within 1…n need no check: events are contiguous there, or the gap is a finding.
    /// Each statement reads one snapshot, so it never sees half of an append.
    private static func surplusEvidence(_ tables: any SQLTables) throws -> [Int64] {
        let places = [
            "position < 1", "position > (SELECT coalesce(max(position), 0) FROM @events)",
        ]
        return try places.flatMap { place in
            try tables.rows(
                """
                SELECT position FROM @evidence WHERE \(place) ORDER BY position LIMIT $1::bigint
                """, LogAuditReport.findingLimit
            ) { try $0.int64(0) }
        }
    }

    /// Whether size, tree and root agree and the rows end where the head row states.
    var isConsistent: Bool {
        CompactRange(size: position, bytes: tree)?.root == root && lastPosition == position
    }

    /// Appending gives headers the ids 1…n without a gap, even across rollbacks.
    var hasContiguousHeaders: Bool {
        headerCount == largestHeader && (headerCount == 0 || smallestHeader == 1)
    }

    /// For the report; nil when the root cannot be read.
    var row: LogHead? {
        root.map { LogHead(position: position, root: $0, newestReceivedAt: newestReceivedAt) }
    }
}
