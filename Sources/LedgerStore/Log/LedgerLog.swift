/// The log of one environment: append-only, with contiguous positions, in the SQL tables of any
/// engine.
///
/// An implementation guarantees: positions 1…n in commit order, so that "position ≤ p" is always a
/// completed prefix; an answered append is durable; one identity with equal claims is stored once,
/// permanently. It may use only plain SQL and one head row per log: no sequences, no advisory
/// locks, no triggers for correctness (`Log.md` §8). Order is guaranteed within one log only.
public protocol LedgerLog: TableReader {
    /// Names the store in messages and metrics: a path, or a server's hosts, database and schema.
    var location: String { get }

    /// Packs evidence for this log; caches recent headers.
    var packer: EvidencePacker { get }

    /// The queue of `append` and `erase`: batches that wait together share a transaction.
    var commits: GroupCommit { get }

    /// Starts the drainer of `commits` on its own thread. Called by `append` and `erase` alone.
    func startDraining()

    // MARK: Reading

    /// The current end of the log.
    func head() async throws(StoreError) -> LogHead

    /// The current tree over the whole log, including other processes' appends.
    func tree() async throws(StoreError) -> CompactRange

    /// The rows after `position` up to and including `through`, in order; at most `limit`, itself
    /// at most `LogLimits.pageEventCount`.
    func readEvents(
        after position: Int64, through: Int64, limit: Int, damaged: DamagedRows
    ) async throws(StoreError) -> [RecordedEvent]

    /// As `readEvents`, with the evidence. May end early, at `LogLimits.pageByteCount`, but never
    /// before the first event.
    func readPage(
        after position: Int64, through: Int64, limit: Int, damaged: DamagedRows
    ) async throws(StoreError) -> [LoggedEvent]

    /// Positions whose row or evidence could not be read since the last call; each once, and the
    /// first `LogLimits.unreadablePositionCount` only.
    func takeUnreadablePositions() -> [Int64]

    // MARK: Erasure

    /// Throws `databaseRefused` where this role could erase only in part: it may remove operational
    /// state, but neither change the log nor `purge`.
    func requirePurgeable() async throws(StoreError)

    /// Removes what is left of erased evidence in the store's files: in free space, and in the
    /// write-ahead log. Costs as much as rewriting the log where the engine has no other way.
    ///
    /// Throws `fileLocked` while another connection reads what was erased; calling it again
    /// finishes it.
    func purge() async throws(StoreError)

    // MARK: Audit

    /// Recomputes every hash from the stored bytes and checks the tree, headers and indexes.
    /// `progress` receives the positions done and in total. Damage is reported, not thrown. Throws
    /// `closed`, `ioError`, `fileLocked`, `fileReplaced`, or the errors of a database server.
    func verify(
        progress: @Sendable (_ done: Int64, _ all: Int64) async -> Void
    ) async throws(StoreError) -> LogAuditReport

    /// A page of events as an audit reads them, for further checks of the evidence: damaged rows
    /// are left out, unreadable evidence is `LoggedEvent.damage`. Nil at the end; `last` is where
    /// the next page begins.
    ///
    /// Throws as `verify`, and `fileCorrupt` when reading cannot continue.
    func auditedPage(
        after position: Int64, through: Int64
    ) async throws(StoreError) -> (events: [LoggedEvent], last: Int64)?

    // MARK: Upkeep

    /// Whether the log can be locked for writing now; writes nothing. Throws the reason.
    func probeLock() async throws(StoreError)

    /// Whether the log can be written now, tested by a durable transaction that changes no event.
    /// Costs as much as an append. Throws as `append` does.
    func probeCommit() async throws(StoreError)

    /// Upkeep of the store's files, called on a timer.
    func checkpoint() async throws(StoreError)
}

extension LedgerLog {
    /// Appends verified events in the order given, all or none; returns when they are durable. With
    /// a position, throws `erasureOvertaken` when the log has an erasure after it.
    ///
    /// A batch is never split over transactions. Throws `batchTooLarge`, `queueFull`, `closed`,
    /// `commitOutcomeUnknown`, `fileReplaced` until the log is reopened, `logWentBack` until it is
    /// accepted, or what the engine reported: `diskFull`, `fileLocked`, `fileReadOnly`,
    /// `fileCorrupt`, `ioError`, `databaseUnavailable`, `databaseRefused`. After any of these,
    /// appending the same events again is safe.
    public func append(
        _ events: [NewEvent], notErasedAfter position: Int64? = nil
    ) async throws(StoreError) -> [AppendResult] {
        try await commits.append(events, notErasedAfter: position) { startDraining() }
    }

    /// Appends an erasure and erases, in the same transaction, the evidence, the chain and the
    /// notificationUUID of every position it names (`Erasure.md`).
    ///
    /// Throws as `append`, and `erasureOvertaken` when the log has newer events that may be within
    /// `scope`; nothing was changed then.
    public func erase(
        _ erasure: NewEvent, within scope: ErasureScope
    ) async throws(StoreError) -> AppendResult {
        try await commits.erase(erasure, within: scope) { startDraining() }
    }

    /// Events and bytes passed to `append` and not answered yet.
    public var waiting: (eventCount: Int, byteCount: Int) { commits.waiting }

    /// When the current write began; nil when there is none. A disk that never completes a
    /// synchronisation causes no error: it is detected from this.
    public var writingSince: ContinuousClock.Instant? { commits.writingSince }

    /// The next rows after `position`; without a policy, throws `fileCorrupt` at a damaged one.
    public func events(
        after position: Int64, through: Int64 = .max, limit: Int = LogLimits.pageEventCount,
        damaged: DamagedRows = .refused
    ) async throws(StoreError) -> [RecordedEvent] {
        try await readEvents(after: position, through: through, limit: limit, damaged: damaged)
    }

    /// As `events`, with their evidence.
    public func page(
        after position: Int64, through: Int64 = .max, limit: Int = LogLimits.pageEventCount,
        damaged: DamagedRows = .refused
    ) async throws(StoreError) -> [LoggedEvent] {
        try await readPage(after: position, through: through, limit: limit, damaged: damaged)
    }

    /// The event at `position` with its evidence, or nil when there is none. If the event cannot be
    /// read, `LoggedEvent.damage` holds the reason.
    public func event(at position: Int64) async throws(StoreError) -> LoggedEvent? {
        guard position > 0 else { return nil }
        return try await page(
            after: position - 1, through: position, limit: 1, damaged: .marked
        ).first
    }

    /// The row at `position` without its evidence, marked when it is damaged; nil when there is
    /// none.
    package func row(at position: Int64) async throws(StoreError) -> RecordedEvent? {
        try await events(
            after: position - 1, through: position, limit: 1, damaged: .marked
        ).first
    }

    /// Recomputes every hash (`verify(progress:)`).
    public func verify() async throws(StoreError) -> LogAuditReport {
        try await verify { _, _ in }
    }
}

/// How a reader handles rows of the log with invalid values.
public enum DamagedRows: Sendable {
    /// Reading ends with `fileCorrupt`, which names the position. For readers that pass on the log
    /// itself (copies, exports, feeds of events): they would otherwise pass on data that was never
    /// received.
    case refused
    /// The row is returned as far as it can be read, and marked (`RecordedEvent.isDamaged`). For
    /// readers that answer about chains: no chain stops the others (`Log.md` §3).
    case marked
}
