internal import AppStore
public import LedgerStore
internal import Synchronization

/// Reading: pages by ranges of the primary key.
extension PostgresLog {
    /// The current end of the log, including other nodes' appends. Throws `logWentBack` when the
    /// log no longer holds the newest event that this node has seen.
    public func head() async throws(StoreError) -> LogHead {
        try await readHead().head
    }

    public func tree() async throws(StoreError) -> CompactRange { try await readHead().tree }

    private func readHead() async throws(StoreError) -> HeadRow {
        try await read { [self] connection in try knownHead(connection) }
    }

    /// The head of a log that holds the newest event that this node has seen.
    private func knownHead(_ connection: PostgresConnection) throws -> HeadRow {
        let last = lastSeen
        let results = try connection.run([
            Statement.log.leaf.with(last.position), Statement.log.readHead.with(),
        ])
        let head = try HeadRow(results[1], location: location)
        guard last.position == 0 || results[0].first?.digest(0) == last.leafHash else {
            throw loss(LogWentBack(head: head.tree.size), connection)
        }
        return head
    }

    public func readEvents(
        after position: Int64, through: Int64, limit: Int, damaged: DamagedRows
    ) async throws(StoreError) -> [RecordedEvent] {
        let events = try await readKnown { [self] connection in
            let result = try connection.run(
                Statement.log.events.with(position, through, LogLimits.page(limit)))
            var (events, last): ([RecordedEvent], Int64) = ([], position)
            events.reserveCapacity(result.count)
            for row in result.rows {
                let event = try EventColumns.readable(row)
                try event.requireReadable(after: last, damaged) { .contradiction(location, $0) }
                last = event.position
                events.append(event)
            }
            return events
        }
        seen.withLock { $0.note(events) }
        for event in events where event.isDamaged {
            unreadable.withLock { $0.note(event.position) }
        }
        return events
    }

    /// Reads both tables in one round trip: two ranges side by side, with one snapshot, since an
    /// erasure changes both.
    public func readPage(
        after position: Int64, through: Int64, limit: Int, damaged: DamagedRows
    ) async throws(StoreError) -> [LoggedEvent] {
        let page = try await readKnown { [self] connection in
            let known = knownHeaders.withLock { $0 }
            var headers = HeaderTable(known: known, location: location)
            let results = try connection.read(
                Statement.log.page(
                    after: position, through: through, limit: LogLimits.page(limit)))
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
            // A reader sees committed rows only.
            let loaded = headers.known
            if loaded.headers.count > known.headers.count {
                knownHeaders.withLock { $0 = loaded }
            }
            return page
        }
        seen.withLock { $0.note(page.map(\.event)) }
        for logged in page where logged.damage != nil {
            unreadable.withLock { $0.note(logged.event.position) }
        }
        return page
    }

    public func takeUnreadablePositions() -> [Int64] { unreadable.withLock { $0.take() } }

    public func readTables<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLTables) throws -> Value
    ) async throws(StoreError) -> Value {
        try await readKnown { try body(SchemaTables(connection: $0)) }
    }

    /// As `read`. Throws `logWentBack` instead of running `body` on a log that lacks the newest
    /// event that this node has seen: its rows would be mistaken for those of the log that this
    /// node knows, and a server that lost events may be reached by any new connection.
    private func readKnown<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) throws -> Value
    ) async throws(StoreError) -> Value {
        try await read { [self] connection in
            let last = lastSeen
            if last.position > 0 {
                let leaf = try connection.run(Statement.log.leaf.with(last.position))
                if leaf.first?.digest(0) != last.leafHash { _ = try knownHead(connection) }
            }
            return try body(connection)
        }
    }

    /// Runs `body` on a reading thread; once more on a new connection when the connection was lost.
    /// Audits read any log by it, also one that went back.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) throws -> Value
    ) async throws(StoreError) -> Value {
        try commits.requireOpen()
        return try await readers.run(location, within: answerTimeout) { slot in
            try slot.again { try body(slot.connection()) }
        }
    }
}

extension HeadRow {
    /// Throws `fileCorrupt` when the row is missing or contradicts itself.
    init(_ result: QueryResult, location: String) throws {
        guard let row = try result.first.flatMap({ try HeadRow($0) }) else {
            throw StoreError.contradiction(location, "The head row contradicts itself.")
        }
        self = row
    }
}
