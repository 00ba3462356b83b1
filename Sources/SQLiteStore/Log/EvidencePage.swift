internal import GRDB
internal import LedgerStore

/// One page of rows with their evidence, read in one transaction: two walks side by side, since a
/// join would search the evidence for every row.
struct EvidencePage {
    private let database: Database
    private let evidence: PreparedStatement
    private let lookup: PreparedStatement
    /// The current position of the walk over the evidence; nil before its first row and after its
    /// last.
    private var standing: Int64?
    private var isWalking = true
    private var table: HeaderTable
    private let path: String

    /// The headers known when the page was read.
    var headers: KnownHeaders { table.known }

    init(_ database: Database, headers: KnownHeaders, path: String) throws {
        self.path = path
        table = HeaderTable(database, known: headers, path: path)
        self.database = database
        evidence = try PreparedStatement(
            database,
            """
            SELECT position, form, bytes FROM evidence
            WHERE position > ? AND position <= ? ORDER BY position LIMIT ?
            """)
        // For rows that the walk misses: it ends where SQLite cannot read on.
        lookup = try PreparedStatement(
            database, "SELECT position, form, bytes FROM evidence WHERE position = ?")
    }

    /// Throws `fileCorrupt` when a row is damaged and such rows are not requested; damage of its
    /// evidence is in `LoggedEvent.damage`.
    mutating func read(
        after position: Int64, through: Int64, limit: Int, damaged: DamagedRows
    ) throws -> [LoggedEvent] {
        let rows = try EventRow.page(database, after: position, through: through, limit: limit)
        evidence.bind(1, position)
        evidence.bind(2, through)
        evidence.bind(3, Int64(limit))
        defer {
            rows.reset()
            evidence.reset()
        }
        var page: [LoggedEvent] = []
        page.reserveCapacity(limit)
        var byteCount = 0
        var last = position
        while byteCount < LogLimits.pageByteCount, try rows.step() {
            let event = EventRow.readable(rows)
            try event.requireReadable(after: last, damaged) { .corrupt(path: path, $0) }
            last = event.position
            let logged = try LoggedEvent(event, in: path) {
                do { return try readEvidence(event.position) } catch {
                    throw StoreError(error, path: path)
                }
            }
            byteCount += logged.evidence?.storedByteCount ?? 0
            page.append(logged)
        }
        return page
    }

    /// Nil for a tombstone.
    private mutating func readEvidence(_ position: Int64) throws -> PackedEvidence? {
        walk(to: position)
        guard standing != position else { return try packed(evidence) }
        lookup.bind(1, position)
        defer { lookup.reset() }
        guard try lookup.step() else {
            throw StoreError.corrupt(path: path, "Position \(position) has no evidence row.")
        }
        return try packed(lookup)
    }

    /// Skips rows that belong to no event.
    private mutating func walk(to position: Int64) {
        while isWalking, (standing ?? .min) < position {
            // If a step fails, looking up rows one by one finds the damaged one.
            isWalking = (try? evidence.step()) ?? false
            standing = isWalking ? evidence.int64(0) : nil
        }
    }

    private mutating func packed(_ row: PreparedStatement) throws -> PackedEvidence? {
        guard !row.isNull(2) else { return nil }
        return try row.withBytes(2) { bytes in
            try EvidenceColumn.decode(form: row.int64(1), bytes) { try table.header($0) }
        }
    }
}
