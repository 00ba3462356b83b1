internal import AppStore
internal import LedgerStore

/// Reads the log for an audit: damaged rows are returned, not thrown.
struct AuditReader {
    private let connection: PostgresConnection
    /// Headers are read from the table, not from the cache: they are to be checked.
    private var headers: HeaderTable

    init(_ connection: PostgresConnection, location: String) {
        self.connection = connection
        headers = HeaderTable(known: KnownHeaders(), location: location)
    }

    /// The rows after `position`: a page by number or by bytes, whichever is less; and the largest
    /// header id that their evidence refers to.
    mutating func read(
        after position: Int64, through: Int64
    ) throws -> (rows: [AuditRow], largestHeader: Int64) {
        let results = try connection.read(
            Statement.log.page(
                after: position, through: through, limit: LogLimits.pageEventCount))
        let (stored, end, ids) = try EvidenceRow.page(results[1], &headers, connection)
        let evidence = Dictionary(stored.map { ($0.position, $0) }) { $1 }
        var rows: [AuditRow] = []
        for row in results[0].rows {
            let position = try row.int64(0)
            guard position < end else { break }
            let event = try EventColumns.readable(row)
            rows.append(
                AuditRow(
                    position: position, event: event.isDamaged ? nil : event,
                    evidence: try state(of: evidence[position])))
        }
        return (rows, ids.max() ?? 0)
    }

    private func state(of row: EvidenceRow?) throws -> AuditRow.StoredEvidence {
        guard let row else { return .missing }
        do {
            guard let packed = try row.packed(headers) else { return .erased }
            return .packed(packed)
        } catch let error as StoreError where error.code == .fileCorrupt {
            return .unreadable
        }
    }
}
