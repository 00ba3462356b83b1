internal import LedgerStore

/// One page of rows with their evidence, read in one round trip: two ranges side by side.
struct EvidencePage {
    private let statements: LogStatements
    private let location: String
    private(set) var headers: HeaderTable

    init(_ statements: LogStatements, headers: HeaderTable, location: String) {
        self.statements = statements
        self.headers = headers
        self.location = location
    }

    /// A row of the page, as it is stored.
    private struct Stored {
        let row: ResultRow
        let position: Int64
        let form: Int64
    }

    /// Throws `fileCorrupt` when a row is damaged and such rows are not requested; damage of its
    /// evidence is in `LoggedEvent.damage`.
    mutating func read(
        _ connection: PostgresConnection, after position: Int64, through: Int64, limit: Int,
        damaged: DamagedRows
    ) throws -> [LoggedEvent] {
        let results = try connection.run([
            statements.events.with {
                $0.add(position)
                $0.add(through)
                $0.add(limit)
            },
            statements.evidence.with {
                $0.add(position)
                $0.add(through)
                $0.add(limit)
                $0.add(LogLimits.pageByteCount)
            },
        ])
        let (evidence, end) = try stored(results[1])
        var page: [LoggedEvent] = []
        page.reserveCapacity(results[0].count)
        var (last, index) = (position, 0)
        for row in results[0].rows {
            let event = try EventColumns.read(
                row, location: location, after: last, damaged: damaged)
            last = event.position
            guard event.position < end else { break }
            // Both are in order; evidence without an event is skipped.
            while index < evidence.count, evidence[index].position < last { index += 1 }
            let isThere = index < evidence.count && evidence[index].position == last
            page.append(try logged(event, isThere ? evidence[index] : nil))
        }
        return page

        /// The evidence in order, and the first position whose bytes are beyond the bound. Loads
        /// its headers.
        func stored(_ result: QueryResult) throws -> ([Stored], end: Int64) {
            var (stored, end): ([Stored], Int64) = ([], .max)
            stored.reserveCapacity(result.count)
            var ids: Set<Int64> = []
            for row in result.rows {
                let position = try row.int64(0)
                guard try !row.bool(3) else {
                    end = position
                    break
                }
                let form = try row.int64(1)
                stored.append(Stored(row: row, position: position, form: form))
                guard !row.isNull(2) else { continue }
                row.withBytes(2) { EvidenceColumn.addHeaderIds(form: form, $0, to: &ids) }
            }
            try headers.load(ids: ids, connection)
            return (stored, end)
        }
    }

    private func logged(_ event: RecordedEvent, _ stored: Stored?) throws -> LoggedEvent {
        guard !event.isDamaged else {
            // The evidence of a damaged row is not read: reading it depends on the row.
            return LoggedEvent(event: event, evidence: nil, damage: unreadable("row", event))
        }
        guard let stored else {
            return LoggedEvent(event: event, evidence: nil, damage: unreadable("evidence", event))
        }
        do {
            return LoggedEvent(event: event, evidence: try packed(stored))
        } catch let error as StoreError where error.code == .fileCorrupt {
            return LoggedEvent(event: event, evidence: nil, damage: unreadable("evidence", event))
        }
    }

    /// Nil for a tombstone.
    private func packed(_ stored: Stored) throws -> PackedEvidence? {
        guard !stored.row.isNull(2) else { return nil }
        return try stored.row.withBytes(2) { bytes in
            try EvidenceColumn.decode(form: stored.form, bytes) { try headers.header($0) }
        }
    }

    private func unreadable(_ part: String, _ event: RecordedEvent) -> StoreError {
        StoreError(
            .fileCorrupt, path: location,
            reason: "The \(part) of position \(event.position) cannot be read.",
            remedy: PackedEvidence.unreadable.remedy)
    }
}
