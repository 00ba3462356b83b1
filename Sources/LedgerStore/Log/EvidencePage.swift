internal import GRDB

/// One page of rows with their evidence, read in one transaction: two walks side by side, since
/// a join would search the evidence anew for every row.
struct EvidencePage {
    private let rows: BoundStatement
    private let evidence: BoundStatement
    private var table: HeaderTable
    private let path: String

    /// The headers known when the page was read.
    var headers: KnownHeaders { table.known }

    init(_ database: Database, headers: KnownHeaders, path: String) throws {
        self.path = path
        table = try HeaderTable(database, known: headers, path: path)
        rows = try BoundStatement(
            database,
            """
            SELECT \(EventRow.columns) FROM events
            WHERE position > ? AND position <= ? ORDER BY position LIMIT ?
            """)
        evidence = try BoundStatement(
            database,
            """
            SELECT position, form, bytes FROM evidence
            WHERE position > ? AND position <= ? ORDER BY position LIMIT ?
            """)
    }

    /// Throws `fileCorrupt` when a row or its evidence makes no sense.
    mutating func read(
        after position: Int64, through: Int64, limit: Int
    ) throws -> [LoggedEvent] {
        for statement in [rows, evidence] {
            statement.bind(1, position)
            statement.bind(2, through)
            statement.bind(3, Int64(limit))
        }
        defer {
            rows.reset()
            evidence.reset()
        }
        var page: [LoggedEvent] = []
        page.reserveCapacity(limit)
        var byteCount = 0
        var last = position
        while byteCount < LogLimits.pageByteCount, try rows.step() {
            let event = try EventRow.read(rows, path: path, after: last)
            last = event.position
            let packed = try readEvidence(event.position)
            byteCount += packed?.storedByteCount ?? 0
            page.append(LoggedEvent(event: event, evidence: packed))
        }
        return page
    }

    /// Nil for a tombstone.
    private mutating func readEvidence(_ position: Int64) throws -> PackedEvidence? {
        guard try evidence.step(), evidence.int64(0) == position else {
            throw StoreError.corrupt(path: path, "Position \(position) has no evidence row.")
        }
        guard !evidence.isNull(2) else { return nil }
        return try evidence.withBytes(2) { bytes in
            try EvidenceRow.decode(form: evidence.int64(1), bytes, &table)
        }
    }
}
