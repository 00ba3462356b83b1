public import AppStore
internal import GRDB
public import LedgerStore
internal import Synchronization

/// Reading. Each call is one short transaction on a read-only connection; longer walks page by
/// position, so that they never hold back a checkpoint.
extension EventLog {
    /// The current end of the log, including other processes' appends.
    public func head() async throws(StoreError) -> LogHead {
        try await read { [path] database in
            let row = try HeadRow.read(database, path: path)
            return LogHead(
                position: row.tree.size, root: row.tree.root,
                newestReceivedAt: row.newestReceivedAt)
        }
    }

    /// The event at `position` with its evidence, or nil when there is none. If the event cannot be
    /// read, `LoggedEvent.damage` holds the reason.
    public func event(at position: Int64) async throws(StoreError) -> LoggedEvent? {
        guard position > 0 else { return nil }
        return try await page(
            after: position - 1, through: position, limit: 1, damaged: .marked
        ).first
    }

    /// The rows after `position` up to and including `through`; at most `limit`, itself at most
    /// `LogLimits.pageEventCount`.
    public func events(
        after position: Int64, through: Int64 = .max, limit: Int = LogLimits.pageEventCount
    ) async throws(StoreError) -> [RecordedEvent] {
        try await events(after: position, through: through, limit: limit, damaged: .refused)
    }

    /// As above, with an explicit policy for damaged rows.
    public func events(
        after position: Int64, through: Int64 = .max, limit: Int = LogLimits.pageEventCount,
        damaged: DamagedRows
    ) async throws(StoreError) -> [RecordedEvent] {
        let events = try await read { [path] database in
            let select = try PreparedStatement(
                database,
                """
                SELECT \(EventRow.columns) FROM events
                WHERE position > ? AND position <= ? ORDER BY position LIMIT ?
                """)
            select.bind(1, position)
            select.bind(2, through)
            select.bind(3, Int64(LogLimits.page(limit)))
            defer { select.reset() }
            var events: [RecordedEvent] = []
            var last = position
            while try select.step() {
                let event = try EventRow.read(
                    select, path: path, after: last, damaged: damaged)
                last = event.position
                events.append(event)
            }
            return events
        }
        note(events)
        return events
    }

    /// The rows of one chain after `position`, in order; at most `limit`. The log has no index by
    /// chain, since every append would pay for it: this scans rows, so query the facts first.
    public func events(
        chain: OriginalTransactionId, after position: Int64 = 0,
        limit: Int = LogLimits.pageEventCount
    ) async throws(StoreError) -> [RecordedEvent] {
        var found: [RecordedEvent] = []
        var start = position
        while found.count < LogLimits.page(limit) {
            let rows = try await events(after: start)
            guard let last = rows.last else { break }
            found.append(contentsOf: rows.filter { $0.attributes.chain == chain })
            start = last.position
        }
        return Array(found.prefix(LogLimits.page(limit)))
    }

    /// The rows after `position` with their evidence. Ends at `limit` events or when the evidence
    /// exceeds `LogLimits.pageByteCount`, whichever comes first, but never before the first event.
    public func page(
        after position: Int64, through: Int64 = .max, limit: Int = LogLimits.pageEventCount
    ) async throws(StoreError) -> [LoggedEvent] {
        try await page(after: position, through: through, limit: limit, damaged: .refused)
    }

    /// As above, with an explicit policy for damaged rows.
    public func page(
        after position: Int64, through: Int64 = .max, limit: Int = LogLimits.pageEventCount,
        damaged: DamagedRows
    ) async throws(StoreError) -> [LoggedEvent] {
        let events = try await read { [self] database in
            let known = knownHeaders.withLock { $0 }
            var page = try EvidencePage(database, headers: known, path: path)
            let events = try page.read(
                after: position, through: through, limit: LogLimits.page(limit),
                damaged: damaged)
            // A reader sees committed rows only.
            if page.headers.headers.count > known.headers.count {
                knownHeaders.withLock { $0 = page.headers }
            }
            return events
        }
        note(events)
        return events
    }

    /// Every event after `position` up to the head at the start of the call, in order, page by
    /// page. The next page is read while `body` works on one; memory stays at two pages. `body`
    /// runs in the caller's isolation.
    public nonisolated(nonsending) func scan(
        after position: Int64 = 0, through: Int64 = .max,
        _ body: nonisolated(nonsending) ([LoggedEvent]) async throws -> Void
    ) async throws {
        let end = min(through, try await head().position)
        var next = try await page(after: position, through: end)
        while let last = next.last {
            let current = next
            async let following = page(after: last.event.position, through: end)
            try await body(current)
            next = try await following
        }
    }

    /// Runs `body` in one read transaction, on a dispatch queue of the pool. The result is returned
    /// only if it was read from the file that is at the path; otherwise throws `fileReplaced`.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        guard !state.withLock({ $0.isClosed }) else { throw EventLog.closedError(path: path) }
        // Checked before the read too, because the pool opens connections on demand, by path.
        try requireFile()
        let result = await withCheckedContinuation { continuation in
            readers.asyncRead { database in
                continuation.resume(returning: Result { try body(try database.get()) })
            }
        }
        try requireFile()
        do { return try result.get() } catch {
            if state.withLock({ $0.isClosed }) { throw EventLog.closedError(path: path) }
            throw StoreError(error, path: path)
        }
    }
}

extension LogLimits {
    /// The requested page size, clamped to its bounds.
    static func page(_ limit: Int) -> Int { max(1, min(limit, pageEventCount)) }
}
