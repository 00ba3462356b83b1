internal import AppStore
internal import GRDB
internal import Signing

/// Reads the log the way an audit does: what makes no sense is returned, not thrown.
struct AuditReader {
    private let rows: BoundStatement
    private let evidence: BoundStatement
    private var headers: HeaderTable

    init(_ database: Database, path: String) throws {
        headers = try HeaderTable(database, known: KnownHeaders(), path: path)
        rows = try BoundStatement(
            database,
            """
            SELECT \(EventRow.columns) FROM events
            WHERE position > ? AND position <= ? ORDER BY position LIMIT ?
            """)
        evidence = try BoundStatement(
            database, "SELECT form, bytes FROM evidence WHERE position = ?")
    }

    /// The rows after `position`: a page by number or by bytes, whichever is less.
    mutating func read(after position: Int64, through: Int64) throws -> [AuditRow] {
        rows.bind(1, position)
        rows.bind(2, through)
        rows.bind(3, Int64(LogLimits.pageEventCount))
        defer { rows.reset() }
        var page: [AuditRow] = []
        var byteCount = 0
        while byteCount < LogLimits.pageByteCount, try rows.step() {
            let position = rows.int64(0)
            let stored = try readEvidence(position)
            if case .packed(let packed) = stored { byteCount += packed.storedByteCount }
            page.append(
                AuditRow(position: position, event: EventRow.read(rows), evidence: stored))
        }
        return page
    }

    private mutating func readEvidence(_ position: Int64) throws -> AuditRow.StoredEvidence {
        evidence.bind(1, position)
        defer { evidence.reset() }
        guard try evidence.step() else { return .missing }
        guard !evidence.isNull(1) else { return .erased }
        do {
            let packed = try evidence.withBytes(1) { bytes in
                try EvidenceRow.decode(form: evidence.int64(0), bytes, &headers)
            }
            return .packed(packed)
        } catch let error as StoreError where error.code == .fileCorrupt {
            return .unreadable
        }
    }

    static func headerFindings(_ database: Database) throws -> [LogFinding] {
        let select = try BoundStatement(database, "SELECT hash, bytes FROM headers ORDER BY id")
        defer { select.reset() }
        var findings: [LogFinding] = []
        while try select.step() {
            let isSound = select.withBytes(1) { SHA256.hash($0) == select.digest(0) }
            if !isSound { findings.append(LogFinding(.headerHashMismatch)) }
        }
        return findings
    }

    /// A page of the index of keys itself, not of the rows; `last` is nil after the end.
    static func indexedKeys(
        _ database: Database, after key: Digest?, through: Int64
    ) throws -> (keys: [(Digest, Int64)], last: Digest?) {
        let select = try BoundStatement(
            database,
            """
            SELECT key, position FROM events INDEXED BY events_key
            WHERE key > ? ORDER BY key LIMIT ?
            """)
        if let key { select.bind(1, key) } else { select.bind(1, [UInt8]()) }
        select.bind(2, Int64(LogLimits.pageEventCount))
        defer { select.reset() }
        var page: [(Digest, Int64)] = []
        var last: Digest?
        while try select.step() {
            // A key of another length stands for a damaged one and never adds up.
            last = select.digest(0) ?? last
            if let last, select.int64(1) <= through { page.append((last, select.int64(1))) }
        }
        return (page, last)
    }
}
