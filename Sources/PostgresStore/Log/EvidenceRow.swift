internal import LedgerStore

/// A row of `evidence`: position, form and bytes, and in a page whether it is beyond the bound.
struct EvidenceRow {
    private let row: ResultRow
    let position: Int64
    private let form: Int64

    init(_ row: ResultRow) throws {
        self.row = row
        position = try row.int64(0)
        form = try row.int64(1)
    }

    /// The rows of a page in order, the first position whose bytes are beyond the bound, and the
    /// headers that the rows refer to, which are loaded.
    static func page(
        _ result: QueryResult, _ headers: inout HeaderTable, _ connection: PostgresConnection
    ) throws -> (rows: [EvidenceRow], end: Int64, headerIds: Set<Int64>) {
        var (rows, end): ([EvidenceRow], Int64) = ([], .max)
        rows.reserveCapacity(result.count)
        var ids: Set<Int64> = []
        for stored in result.rows {
            let row = try EvidenceRow(stored)
            guard try !stored.bool(3) else {
                end = row.position
                break
            }
            row.addHeaderIds(to: &ids)
            rows.append(row)
        }
        try headers.load(ids: ids, connection)
        return (rows, end, ids)
    }

    func addHeaderIds(to ids: inout Set<Int64>) {
        guard !row.isNull(2) else { return }
        row.withBytes(2) { EvidenceColumn.addHeaderIds(form: form, $0, to: &ids) }
    }

    /// Nil for a tombstone. Throws `fileCorrupt` where it is damaged. Its headers must be loaded.
    func packed(_ headers: HeaderTable) throws -> PackedEvidence? {
        guard !row.isNull(2) else { return nil }
        return try row.withBytes(2) { bytes in
            try EvidenceColumn.decode(form: form, bytes) { try headers.header($0) }
        }
    }

    /// As `packed`, where damage is returned.
    func audited(_ headers: HeaderTable) throws -> AuditRow.StoredEvidence {
        do {
            return try packed(headers).map { .packed($0) } ?? .erased
        } catch let error as StoreError where error.code == .fileCorrupt {
            return .unreadable
        }
    }
}
