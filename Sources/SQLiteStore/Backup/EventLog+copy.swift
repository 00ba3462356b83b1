internal import AppStore
internal import GRDB
internal import LedgerStore

/// Copies a log while others append to it.
///
/// Neither of SQLite's own methods suits a log with continuous appends: its backup interface
/// restarts whenever another process commits (https://www.sqlite.org/backup.html), and `VACUUM
/// INTO` is one read transaction over the whole file, which blocks checkpoints meanwhile. But rows
/// up to a position change by an erasure only and a prefix is always complete, so the rows up to
/// the head at one moment are read page by page, in transactions of milliseconds.
extension EventLog {
    /// The end of a copy: the head row at one moment, and the last header stored by then.
    struct CopyEnd: Sendable {
        let head: HeadRow
        let lastHeader: Int64
    }

    func copyEnd() async throws(StoreError) -> CopyEnd {
        try await read { [path] database in
            CopyEnd(
                head: try HeadRow.read(database, path: path),
                lastHeader: try Int64.fetchOne(database, sql: "SELECT max(id) FROM headers") ?? 0)
        }
    }

    /// Writes the log up to `end` into the empty log at `target`. The next page is read while one
    /// is written; memory stays at two pages.
    func copy(
        upTo end: CopyEnd, into target: String,
        report: @Sendable (_ done: Int64, _ all: Int64) async -> Void
    ) async throws {
        let writer = try await Blocking.run { () throws(StoreError) in
            try LogCopyWriter(path: target)
        }
        let last = end.head.tree.size
        var page = try await copiedPage(after: 0, through: last)
        while let position = page.last?.event.position {
            async let following = copiedPage(after: position, through: last)
            try await writer.add(page)
            await report(position, last)
            page = try await following
        }
        try await copyHeaders(through: end.lastHeader, writer)
        try await writer.finish(end.head)
    }

    private func copyHeaders(
        through last: Int64, _ writer: LogCopyWriter
    ) async throws(StoreError) {
        var id: Int64 = 0
        while true {
            let headers = try await copiedHeaders(after: id, through: last)
            guard let end = headers.last else { return }
            try await writer.add(headers)
            id = end.id
        }
    }

    /// A page of rows, bounded by number or by bytes.
    private func copiedPage(
        after position: Int64, through: Int64
    ) async throws(StoreError) -> [CopiedRow] {
        try await read { [path] database in
            let rows = try EventRow.page(
                database, after: position, through: through, limit: LogLimits.pageEventCount)
            let evidence = try PreparedStatement(
                database, "SELECT form, bytes FROM evidence WHERE position = ?")
            defer { rows.reset() }
            var page: [CopiedRow] = []
            var byteCount = 0
            while byteCount < LogLimits.pageByteCount, try rows.step() {
                let event = try EventRow.read(rows, path: path)
                evidence.bind(1, event.position)
                defer { evidence.reset() }
                // Missing evidence stays missing: the audit of the copy reports it.
                guard try evidence.step() else {
                    page.append(CopiedRow(event: event, evidence: nil))
                    continue
                }
                let bytes = evidence.isNull(1) ? nil : evidence.bytes(1)
                byteCount += bytes?.count ?? 0
                page.append(CopiedRow(event: event, evidence: (evidence.int64(0), bytes)))
            }
            return page
        }
    }

    private func copiedHeaders(
        after id: Int64, through: Int64
    ) async throws(StoreError) -> [(id: Int64, header: EvidenceHeader)] {
        try await read { [path] database in
            try database.rows(
                "SELECT id, hash, bytes FROM headers WHERE id > ? AND id <= ? ORDER BY id LIMIT ?",
                id, through, LogLimits.pageEventCount
            ) { row in
                guard let hash = row.digest(1) else {
                    throw StoreError.corrupt(
                        path: path, "Header \(row.int64(0)) has no hash of 32 bytes.")
                }
                return (id: row.int64(0), header: EvidenceHeader(hash: hash, bytes: row.bytes(2)))
            }
        }
    }
}

/// Fills an empty log with the rows of another one.
///
/// Works without a journal, since no process reads the copy before it is complete. The indexes are
/// created at the end: keys arrive in random order, and sorting them once costs far less than
/// inserting them one by one.
final class LogCopyWriter: Sendable {
    private let path: String
    private let queue: DatabaseQueue
    /// The schema's statements that create the indexes.
    private let indexes: [String]

    private static let cacheKibibytes = 64 * 1_024

    /// Opens the empty log at `path`, which must have this release's schema. Blocks.
    init(path: String) throws(StoreError) {
        self.path = path
        do {
            queue = try DatabaseQueue(
                path: path,
                configuration: Configuration(pragmas: [
                    "cache_size = -\(LogCopyWriter.cacheKibibytes)", "trusted_schema = OFF",
                ]))
            indexes = try queue.inDatabase { database in
                try LogCopyWriter.setMode("DELETE", database, path)
                try LogCopyWriter.setMode("OFF", database, path)
                try database.execute(sql: "PRAGMA synchronous = OFF")
                let rows = try Row.fetchAll(
                    database,
                    sql: """
                        SELECT name, sql FROM sqlite_schema
                        WHERE type = 'index' AND sql IS NOT NULL ORDER BY rowid
                        """)
                for row in rows {
                    let name: String = row["name"]
                    try database.execute(sql: "DROP INDEX \(name.quotedDatabaseIdentifier)")
                }
                return rows.map { $0["sql"] }
            }
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Adds rows, in order of position.
    func add(_ rows: [CopiedRow]) async throws(StoreError) {
        try await write { database in
            let event = try PreparedStatement(database, EventRow.insert)
            let evidence = try PreparedStatement(
                database, "INSERT INTO evidence (position, form, bytes) VALUES (?, ?, ?)")
            for row in rows {
                EventRow.bind(row.event, to: event)
                _ = try event.run()
            }
            for row in rows {
                guard let stored = row.evidence else { continue }
                evidence.bind(1, row.event.position)
                evidence.bind(2, stored.form)
                if let bytes = stored.bytes {
                    evidence.bind(3, bytes)
                } else {
                    evidence.bindNull(3)
                }
                _ = try evidence.run()
            }
        }
    }

    func add(_ headers: [(id: Int64, header: EvidenceHeader)]) async throws(StoreError) {
        try await write { database in
            for (id, header) in headers {
                try database.insert(
                    into: "headers", ["id": id, "hash": header.hash, "bytes": header.bytes])
            }
        }
    }

    /// Writes the head row, creates the indexes, and closes the database as a single file.
    func finish(_ head: HeadRow) async throws(StoreError) {
        let (indexes, path) = (indexes, path)
        try await write { database in
            try head.write(database)
            for sql in indexes { try database.execute(sql: sql) }
        }
        try await queue.access(path) { try LogCopyWriter.setMode("DELETE", $0, path) }
        try await Blocking.run { [queue] () throws(StoreError) in
            do { try queue.close() } catch { throw StoreError(error, path: path) }
        }
    }

    private func write(
        _ body: @escaping @Sendable (Database) throws -> Void
    ) async throws(StoreError) {
        try await queue.access(path) { database in
            try database.inTransaction {
                try body(database)
                return .commit
            }
        }
    }

    static func setMode(_ mode: String, _ database: Database, _ path: String) throws {
        let now = try String.fetchOne(database, sql: "PRAGMA journal_mode = \(mode)")
        guard now == mode.lowercased() else {
            throw StoreError(
                .fileLocked, path: path, reason: "Its journal mode cannot be changed.",
                remedy: "Close the file in every other process, then try again.")
        }
    }
}

struct CopiedRow: Sendable {
    let event: RecordedEvent
    /// Nil when missing; without bytes when erased.
    let evidence: (form: Int64, bytes: [UInt8]?)?
}
