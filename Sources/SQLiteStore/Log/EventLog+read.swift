internal import GRDB
public import LedgerStore
internal import Synchronization

/// Reading. Each call is one short transaction on a read-only connection; longer walks page by
/// position, so that they never hold back a checkpoint.
extension EventLog {
    public func head() async throws(StoreError) -> LogHead {
        try await read { [path] in try $0.headRow(path).head }
    }

    public func tree() async throws(StoreError) -> CompactRange {
        try await read { [path] database in try database.headRow(path).tree }
    }

    public func readEvents(
        after position: Int64, through: Int64, limit: Int, damaged: DamagedRows
    ) async throws(StoreError) -> [RecordedEvent] {
        let events = try await read { [path] database in
            let select = try EventRow.page(
                database, after: position, through: through, limit: LogLimits.page(limit))
            defer { select.reset() }
            var events: [RecordedEvent] = []
            var last = position
            while try select.step() {
                let event = EventRow.readable(select)
                try event.requireReadable(after: last, damaged) { .corrupt(path: path, $0) }
                last = event.position
                events.append(event)
            }
            return events
        }
        note(events.lazy.filter(\.isDamaged).map(\.position))
        return events
    }

    public func readPage(
        after position: Int64, through: Int64, limit: Int, damaged: DamagedRows
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
        note(events.lazy.filter { $0.damage != nil }.map(\.event.position))
        return events
    }

    private func note(_ damaged: some Sequence<Int64>) {
        for position in damaged { unreadable.withLock { $0.note(position) } }
    }

    public func takeUnreadablePositions() -> [Int64] { unreadable.withLock { $0.take() } }

    public func readTables<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLTables) throws -> Value
    ) async throws(StoreError) -> Value {
        try await read { try body(FileTables(database: $0)) }
    }

    /// Runs `body` in one read transaction, on a dispatch queue of the pool. The result is returned
    /// only if it was read from the file that is at the path; otherwise throws `fileReplaced`.
    ///
    /// - Parameter isCancellable: whether it ends with `closed` when the task is cancelled, for a
    ///   read of the whole file. GRDB interrupts the statement on this connection only.
    func read<Value: Sendable>(
        cancellable isCancellable: Bool = false,
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        try commits.requireOpen()
        // Checked before the read too, because the pool opens connections on demand, by path.
        try requireFile()
        let result: Result<Value, any Error>
        if isCancellable {
            do { result = .success(try await readers.read(body)) } catch {
                result = .failure(error)
            }
        } else {
            result = await withCheckedContinuation { continuation in
                readers.asyncRead { database in
                    continuation.resume(returning: Result { try body(try database.get()) })
                }
            }
        }
        try requireFile()
        do { return try result.get() } catch {
            try commits.requireOpen()
            throw StoreError(error, path: path)
        }
    }
}

extension Database {
    /// Throws `fileCorrupt` when the head row is missing or contradicts itself.
    func headRow(_ path: String) throws -> HeadRow {
        let row = try rows(
            "SELECT position, tree, root, newest_received_at FROM head WHERE id = 1"
        ) { try HeadRow($0) }.first
        guard let row else {
            throw StoreError.corrupt(path: path, "The head row contradicts itself.")
        }
        return row
    }
}
