internal import GRDB
internal import LedgerStore

extension AuditExtent {
    /// - Parameter lastPosition: the largest position in `events`.
    static func read(_ database: Database, lastPosition: Int64) throws -> AuditExtent {
        let extent = try database.rows(
            "SELECT count(*), coalesce(max(id), 0), coalesce(min(id), 0) FROM headers"
        ) { headers in
            AuditExtent(
                surplusEvidence: try surplusEvidence(database, lastPosition),
                headerCount: headers.int64(0), largestHeader: headers.int64(1),
                smallestHeader: headers.int64(2))
        }.first
        guard let extent else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
        return extent
    }

    /// Positions within 1…n need no check: events are contiguous there, or the gap is a finding.
    private static func surplusEvidence(
        _ database: Database, _ lastPosition: Int64
    ) throws -> [Int64] {
        try database.rows(
            """
            SELECT position FROM evidence WHERE position < 1
            UNION ALL SELECT position FROM evidence WHERE position > ? LIMIT ?
            """, lastPosition, LogAuditReport.findingLimit
        ) { $0.int64(0) }.sorted()
    }
}
