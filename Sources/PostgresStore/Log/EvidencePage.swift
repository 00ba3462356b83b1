internal import LedgerStore

/// One page of rows with their evidence, read in one round trip: two ranges side by side, with one
/// snapshot, since an erasure changes both.
struct EvidencePage {
    private let location: String
    private(set) var headers: HeaderTable

    init(headers: HeaderTable, location: String) {
        self.headers = headers
        self.location = location
    }

    /// Throws `fileCorrupt` when a row is damaged and such rows are not requested; damage of its
    /// evidence is in `LoggedEvent.damage`.
    mutating func read(
        _ connection: PostgresConnection, after position: Int64, through: Int64, limit: Int,
        damaged: DamagedRows
    ) throws -> [LoggedEvent] {
        let results = try connection.read(
            Statement.log.page(after: position, through: through, limit: limit))
        let (evidence, end, _) = try EvidenceRow.page(results[1], &headers, connection)
        var page: [LoggedEvent] = []
        page.reserveCapacity(results[0].count)
        var (last, index) = (position, 0)
        for row in results[0].rows {
            let event = try EventColumns.readable(row)
            try event.requireReadable(after: last, damaged) { .contradiction(location, $0) }
            last = event.position
            guard event.position < end else { break }
            // Both are in order; evidence without an event is skipped.
            while index < evidence.count, evidence[index].position < last { index += 1 }
            let isThere = index < evidence.count && evidence[index].position == last
            let stored = isThere ? evidence[index] : nil
            page.append(
                try LoggedEvent(event, in: location) {
                    guard let stored else { throw PackedEvidence.unreadable }
                    return try stored.packed(headers)
                })
        }
        return page
    }
}
