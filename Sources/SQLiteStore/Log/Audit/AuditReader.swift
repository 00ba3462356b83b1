internal import GRDB
internal import LedgerStore

/// Reads the log for an audit: damaged rows are returned, not thrown.
struct AuditReader {
    private let database: Database
    private let evidence: PreparedStatement
    private var headers: HeaderTable
    /// The largest header id that the evidence read so far refers to; 0 for none.
    var largestHeader: Int64 { headers.largestId }

    init(_ database: Database, path: String) throws {
        headers = HeaderTable(database, known: KnownHeaders(), path: path)
        self.database = database
        // The walk steps from row to row; readers search by position, from the root of the tree.
        evidence = try PreparedStatement(
            database,
            """
            SELECT form, bytes, EXISTS (SELECT 1 FROM events WHERE position = ?1)
            FROM evidence WHERE position = ?1
            """)
    }

    /// The rows after `position`: a page by number or by bytes, whichever is less. Ends before a
    /// row that is out of order, which would cause a loop; the audit then reports its position as
    /// missing.
    mutating func read(after position: Int64, through: Int64) throws -> [AuditRow] {
        let rows = try EventRow.page(
            database, after: position, through: through, limit: LogLimits.pageEventCount)
        defer { rows.reset() }
        var page: [AuditRow] = []
        var byteCount = 0
        var last = position
        while byteCount < LogLimits.pageByteCount, try rows.step() {
            let position = rows.int64(0)
            guard position > last else { break }
            last = position
            let event = EventRow.readable(rows)
            let isSound = EventRow.isWellFormed(rows) && !event.isDamaged
            let row = try readEvidence(position, of: isSound ? event : nil)
            if case .packed(let packed) = row.evidence { byteCount += packed.storedByteCount }
            page.append(row)
        }
        return page
    }

    private mutating func readEvidence(
        _ position: Int64, of event: RecordedEvent?
    ) throws -> AuditRow {
        evidence.bind(1, position)
        defer { evidence.reset() }
        guard try evidence.step() else {
            return AuditRow(position: position, event: event, evidence: .missing)
        }
        return AuditRow(
            position: position, event: event, evidence: try storedEvidence(),
            isReachable: evidence.int64(2) == 1)
    }

    private mutating func storedEvidence() throws -> AuditRow.StoredEvidence {
        guard evidence.storageClass(0) == .integer else { return .unreadable }
        switch evidence.storageClass(1) {
        case .null: return .erased
        case .blob: break
        case .integer, .real, .text: return .unreadable
        }
        do {
            let packed = try evidence.withBytes(1) { bytes in
                try EvidenceColumn.decode(form: evidence.int64(0), bytes) { try headers.header($0) }
            }
            return .packed(packed)
        } catch let error as StoreError where error.code == .fileCorrupt {
            return .unreadable
        }
    }
}
