internal import AppStore
public import LedgerStore
internal import Synchronization

/// Reading: pages by ranges of the primary key.
extension PostgresLog {
    /// The current end of the log, including other nodes' appends. Throws `logWentBack` when the
    /// log no longer holds the newest event that this node has seen.
    public func head() async throws(StoreError) -> LogHead {
        let row = try await readHead()
        return LogHead(
            position: row.tree.size, root: row.tree.root, newestReceivedAt: row.newestReceivedAt)
    }

    public func tree() async throws(StoreError) -> CompactRange { try await readHead().tree }

    private func readHead() async throws(StoreError) -> HeadRow {
        let last = lastSeen
        return try await read { [self] connection in
            let results = try connection.run([
                Statement.log.leaf.with { $0.add(last.position) }, Statement.log.readHead.with(),
            ])
            let head = try HeadRow(results[1], location: location)
            guard last.position == 0 || results[0].first?.digest(0) == last.leafHash else {
                throw loss(LogWentBack(head: head.tree.size), connection)
            }
            return head
        }
    }

    public func readEvents(
        after position: Int64, through: Int64, limit: Int, damaged: DamagedRows
    ) async throws(StoreError) -> [RecordedEvent] {
        let (events, isExtension) = try await read { [self] connection in
            let isExtension = try holdsSeen(connection)
            let result = try connection.run(
                Statement.log.events.with {
                    $0.add(position)
                    $0.add(through)
                    $0.add(LogLimits.page(limit))
                })
            var (events, last): ([RecordedEvent], Int64) = ([], position)
            events.reserveCapacity(result.count)
            for row in result.rows {
                let event = try EventColumns.readable(row)
                try event.requireReadable(after: last, damaged) { .contradiction(location, $0) }
                last = event.position
                events.append(event)
            }
            return (events, isExtension)
        }
        if isExtension { seen.withLock { $0.note(events) } }
        for event in events where event.isDamaged {
            unreadable.withLock { $0.note(event.position) }
        }
        return events
    }

    public func readPage(
        after position: Int64, through: Int64, limit: Int, damaged: DamagedRows
    ) async throws(StoreError) -> [LoggedEvent] {
        let (page, isExtension) = try await read { [self] connection in
            let isExtension = try holdsSeen(connection)
            let known = knownHeaders.withLock { $0 }
            var page = EvidencePage(
                headers: HeaderTable(known: known, location: location), location: location)
            let events = try page.read(
                connection, after: position, through: through, limit: LogLimits.page(limit),
                damaged: damaged)
            // A reader sees committed rows only. In a log that went back ids may belong to other
            // headers.
            if isExtension, page.headers.known.headers.count > known.headers.count {
                knownHeaders.withLock { $0 = page.headers.known }
            }
            return (events, isExtension)
        }
        if isExtension { seen.withLock { $0.note(page.map(\.event)) } }
        for logged in page where logged.damage != nil {
            unreadable.withLock { $0.note(logged.event.position) }
        }
        return page
    }

    /// Whether the log holds the newest event that this node has seen. Nothing is remembered of one
    /// that went back: it would be mistaken for the log that this node knows.
    private func holdsSeen(_ connection: PostgresConnection) throws -> Bool {
        let last = lastSeen
        guard last.position > 0 else { return true }
        let leaf = try connection.run(Statement.log.leaf.with { $0.add(last.position) })
        return leaf.first?.digest(0) == last.leafHash
    }

    public func takeUnreadablePositions() -> [Int64] { unreadable.withLock { $0.take() } }

    public func readTables<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLTables) throws -> Value
    ) async throws(StoreError) -> Value {
        try await read { try body(SchemaTables(connection: $0)) }
    }

    /// Runs `body` on a reading thread; once more on a new connection when the connection was lost.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) throws -> Value
    ) async throws(StoreError) -> Value {
        try commits.requireOpen()
        return try await readers.run(location) { slot in
            try slot.again { try body(slot.connection()) }
        }
    }
}
