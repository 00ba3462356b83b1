internal import AppStore
public import LedgerStore
internal import Signing

/// The audit: recomputes every hash from the database, without any cached state.
extension PostgresLog {
    /// Recomputes every leaf hash from its row, every evidence and payload hash from the
    /// reassembled bytes, the tree and the headers, and checks that indexes and triggers are there
    /// and that the indexes of keys hold exactly the rows.
    ///
    /// Damage is reported, not thrown, and so is a missing table or column. Throws
    /// `databaseUnavailable`, `databaseRefused`, `ioError` or `closed`.
    public func verify(
        progress: @Sendable (_ done: Int64, _ all: Int64) async -> Void
    ) async throws(StoreError) -> LogAuditReport {
        var walk = AuditWalk()
        do throws(StoreError) {
            let head = try await read { connection in
                try AuditHead.read(SchemaTables(connection: connection), where: "log = 1")
            }
            guard let head else {
                walk.add(LogFinding(.headMismatch))
                return walk.report
            }
            walk = try await AuditWalk.pages(through: head.lastPosition, progress) {
                position, end async throws(StoreError) in
                try await auditRows(after: position, through: end)
            }
            try await walk.acceptErasures(of: self, after: head.lastPosition)
            walk.finish(head)
            for finding in try await headerFindings() { walk.add(finding) }
            let indexes = [
                (Statement.audit.keys, walk.keys), (Statement.audit.identities, walk.identities),
            ]
            for (index, sum) in indexes {
                let isComplete = try await sum.matches(through: head.lastPosition) {
                    entry async throws(StoreError) in try await entries(index, after: entry)
                }
                if !isComplete { walk.add(LogFinding(.keyIndexMismatch)) }
            }
            if try await !hasObjects() { walk.add(LogFinding(.schemaMismatch)) }
        } catch {
            guard error.isAudited else { throw error }
            for finding in AuditHead.findings(having: try await tables()) { walk.add(finding) }
        }
        return walk.report
    }

    public func auditedPage(
        after position: Int64, through: Int64
    ) async throws(StoreError) -> (events: [LoggedEvent], last: Int64)? {
        let rows = try await auditRows(after: position, through: through).rows
        return rows.last.map { last in (rows.compactMap { $0.logged }, last.position) }
    }

    /// The rows after `position`: a page by number or by bytes, whichever is less; and the largest
    /// header id that their evidence refers to. Damaged rows are returned, not thrown.
    private func auditRows(
        after position: Int64, through: Int64
    ) async throws(StoreError) -> (rows: [AuditRow], largestHeader: Int64) {
        try await read { [location] connection in
            // Headers are read from the table, not from the cache: they are to be checked.
            var headers = HeaderTable(known: KnownHeaders(), location: location)
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
                        evidence: try evidence[position]?.audited(headers) ?? .missing))
            }
            return (rows, ids.max() ?? 0)
        }
    }

    private func headerFindings() async throws(StoreError) -> [LogFinding] {
        try await read { connection in
            try connection.run(Statement.audit.headers.with()).rows.compactMap { row in
                let hash = row.withBytes(2) { SHA256.hash($0) }
                return hash == row.digest(1) ? nil : LogFinding(.headerHashMismatch)
            }
        }
    }

    private func entries(
        _ index: Statement, after entry: AuditIndexEntry?
    ) async throws(StoreError) -> [AuditIndexEntry]? {
        try await read { connection in
            let command = index.with(entry?.digest.bytes ?? [], entry?.position ?? .min)
            var page: [AuditIndexEntry] = []
            for row in try connection.run(command).rows {
                guard let digest = row.digest(0) else { return nil }
                page.append((digest, try row.int64(1)))
            }
            return page
        }
    }

    private func tables() async throws(StoreError) -> [String] {
        try await read { connection in
            let found = try connection.run(Statement.audit.tables.with(connection.schema))
            return found.rows.compactMap { $0.text(0) }
        }
    }

    private func hasObjects() async throws(StoreError) -> Bool {
        try await read { connection in
            let found = try connection.run(Statement.audit.objects.with(connection.schema))
            return AuditStatements.objects.isSubset(of: found.rows.compactMap { $0.text(1) })
        }
    }
}
