internal import GRDB
public import LedgerStore

/// The audit, without any cached state.
extension EventLog {
    /// Pages are checked on all cores and walked in order; memory stays at a few pages. The leaf
    /// hashes of tombstones are taken as stored; a tombstone that no erasure names is reported.
    public func verify(
        progress: @Sendable (_ done: Int64, _ all: Int64) async -> Void
    ) async throws(StoreError) -> LogAuditReport {
        var walk = AuditWalk()
        do throws(StoreError) {
            guard let head = try await readTables({ try AuditHead.read($0, where: "id = 1") })
            else {
                walk.add(LogFinding(.headMismatch))
                return walk.report
            }
            walk = try await AuditWalk.pages(through: head.lastPosition, progress) {
                position, end async throws(StoreError) in
                try await auditRows(after: position, through: end)
            }
            try await walk.acceptErasures(of: self, after: head.lastPosition)
            walk.finish(head)
            let headers = try await read(cancellable: true) { try AuditHeaders.findings($0) }
            for finding in headers { walk.add(finding) }
            for (index, sum) in [(AuditIndex.keys, walk.keys), (.identities, walk.identities)]
            where try await !sum.matches(
                through: head.lastPosition,
                { entry async throws(StoreError) in
                    try await read { try index.entries($0, after: entry) }
                }
            ) {
                walk.add(LogFinding(.keyIndexMismatch))
            }
            let others = try await read(cancellable: true) { [file] in
                try AuditSchema.findings($0, of: file)
            }
            for finding in others { walk.add(finding) }
        } catch {
            guard error.isAudited else { throw error }
            for finding in await unreadable() { walk.add(finding) }
        }
        return walk.report
    }

    public func auditedPage(
        after position: Int64, through: Int64
    ) async throws(StoreError) -> (events: [LoggedEvent], last: Int64)? {
        let rows = try await auditRows(after: position, through: through).rows
        return rows.last.map { last in (rows.compactMap { $0.logged }, last.position) }
    }

    /// Why the log cannot be read any further.
    private func unreadable() async -> [LogFinding] {
        let tables = try? await read { database in
            try String.fetchAll(
                database, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'")
        }
        return tables.map { AuditHead.findings(having: $0) } ?? [LogFinding(.fileDamaged)]
    }

    private func auditRows(
        after position: Int64, through: Int64
    ) async throws(StoreError) -> (rows: [AuditRow], largestHeader: Int64) {
        try await read { [path] database in
            // Headers are read from the file, not from the cache: they are to be checked.
            var reader = try AuditReader(database, path: path)
            let rows = try reader.read(after: position, through: through)
            return (rows, reader.largestHeader)
        }
    }
}
