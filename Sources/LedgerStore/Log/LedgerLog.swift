public import AppStore
public import Ledger

/// The log of one environment with everything that projection, audit, feeds, recovery and upkeep
/// need of it beyond appending and reading (`EventStore`).
public protocol LedgerLog: EventStore {
    /// Names the store in messages and metrics: the path of its file.
    var location: String { get }

    // MARK: Reading

    /// The current tree over the whole log, including other processes' appends.
    func tree() async throws(StoreError) -> CompactRange

    /// A tree extended by the next leaves of the log, up to `end`; nil when one is missing.
    func extended(
        _ tree: CompactRange, through end: Int64
    ) async throws(StoreError) -> CompactRange?

    /// The leaf hashes after `position` up to and including `through`, in order, of at most
    /// `LogLimits.scannedEventCount` rows; fewer than requested where the log is shorter or a row
    /// is missing or damaged.
    func leafHashes(
        after position: Int64, through: Int64
    ) async throws(StoreError) -> [Digest]

    /// The end of the log, and the leaf hashes of the block there that is not full
    /// (`LogLimits.provenBlockCount`).
    func edge() async throws(StoreError) -> (head: LogHead, leaves: [Digest])

    /// The event with this key, or nil; a conflict has a different key (`EventKey`).
    func event(key: Digest) async throws(StoreError) -> LoggedEvent?

    /// The rows after `position` up to and including `through`; at most `limit`, itself at most
    /// `LogLimits.pageEventCount`.
    func events(
        after position: Int64, through: Int64, limit: Int, damaged: DamagedRows
    ) async throws(StoreError) -> [RecordedEvent]

    /// As `events`, with the evidence. May end early, at `LogLimits.pageByteCount`, but never
    /// before the first event.
    func page(
        after position: Int64, through: Int64, limit: Int, damaged: DamagedRows
    ) async throws(StoreError) -> [LoggedEvent]

    /// Positions whose row or evidence could not be read since the last call; each once, and the
    /// first `LogLimits.unreadablePositionCount` only.
    func takeUnreadablePositions() -> [Int64]

    /// Positions of commands up to and including `end`, newest first, without those of clients
    /// (claims); at most `limit`.
    func decisionPositions(through end: Int64, limit: Int) async throws(StoreError) -> [Int64]

    // MARK: Outages and completeness

    /// Deliveries of an app's notifications at the positions after `position` through `end`, newest
    /// positions first, received at or after `since`: those that Apple made, and those whose time
    /// is stated by a line that was imported.
    func arrivals(
        of bundleId: BundleId, since: Timestamp, after position: Int64, through end: Int64
    ) async throws(StoreError) -> [NotificationDelivery]

    /// Positions of erasures after `position` up to and including `through`, in order.
    func erasurePositions(
        after position: Int64, through: Int64
    ) async throws(StoreError) -> [Int64]

    /// Positions of sweeps up to `through`, in order.
    func sweepPositions(through: Int64) async throws(StoreError) -> [Int64]

    /// Notifications of an app after `position`, up to `through`, signed in `[from, before)`, in
    /// order; those within the next `LogLimits.scannedEventCount` positions, and where to continue.
    /// TEST is Apple's answer to a request and belongs to no history.
    func notifications(
        of bundleId: BundleId, signedFrom from: Timestamp, before: Timestamp,
        after position: Int64, through: Int64
    ) async throws(StoreError) -> (found: [LateNotification], next: Int64)

    // MARK: Erasure

    /// Appends an erasure and erases, in the same transaction, the evidence, the chain and the
    /// notificationUUID of every position it names (`Erasure.md`).
    ///
    /// Throws as `append`, and `erasureOvertaken` when the log has newer events that may be within
    /// `scope`; nothing was changed then.
    func erase(
        _ erasure: NewEvent, within scope: ErasureScope
    ) async throws(StoreError) -> AppendResult

    /// Removes what is left of erased evidence in the store's files: in free space, and in the
    /// write-ahead log. Costs as much as rewriting the log where the engine has no other way.
    ///
    /// Throws `fileLocked` while another connection reads what was erased; calling it again
    /// finishes it.
    func purge() async throws(StoreError)

    // MARK: Audit

    /// Recomputes every hash from the stored bytes and checks the tree, headers and indexes.
    /// `progress` receives the positions done and in total. Damage is reported, not thrown: throws
    /// only `ioError`, `fileLocked`, `fileReplaced` or `closed`.
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

    /// Events and bytes passed to `append` and not answered yet.
    var waiting: (eventCount: Int, byteCount: Int) { get }

    /// When the current write began; nil when there is none. A disk that never completes a
    /// synchronisation causes no error: it is detected from this.
    var writingSince: ContinuousClock.Instant? { get }

    /// Whether the log can be locked for writing now; writes nothing. Throws the reason.
    func probeLock() async throws(StoreError)

    /// Whether the log can be written now, tested by a durable transaction that changes no event.
    /// Costs as much as an append. Throws as `append` does.
    func probeCommit() async throws(StoreError)

    /// Upkeep of the store's files, called on a timer.
    func checkpoint() async throws(StoreError)

    /// Answers the waiting batches, then closes every connection. Later calls throw `closed`.
    func close() async
}

extension LedgerLog {
    /// The rows after `position`; throws `fileCorrupt` at a damaged one.
    public func events(
        after position: Int64, through: Int64 = .max, limit: Int = LogLimits.pageEventCount
    ) async throws(StoreError) -> [RecordedEvent] {
        try await events(after: position, through: through, limit: limit, damaged: .refused)
    }

    /// The next page of rows, with a policy for damaged ones.
    public func events(
        after position: Int64, through: Int64 = .max, damaged: DamagedRows
    ) async throws(StoreError) -> [RecordedEvent] {
        try await events(
            after: position, through: through, limit: LogLimits.pageEventCount, damaged: damaged)
    }

    /// The rows after `position` with their evidence; throws `fileCorrupt` at a damaged one.
    public func page(
        after position: Int64, through: Int64 = .max, limit: Int = LogLimits.pageEventCount
    ) async throws(StoreError) -> [LoggedEvent] {
        try await page(after: position, through: through, limit: limit, damaged: .refused)
    }

    /// The next page of rows with their evidence, with a policy for damaged ones.
    public func page(
        after position: Int64, through: Int64 = .max, damaged: DamagedRows
    ) async throws(StoreError) -> [LoggedEvent] {
        try await page(
            after: position, through: through, limit: LogLimits.pageEventCount, damaged: damaged)
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

/// The attributes that completeness needs of a notification recorded after a sweep but signed
/// before it.
public struct LateNotification: Hashable, Sendable {
    public let position: Int64
    public let receivedAt: Timestamp
    public let signedAt: Timestamp
}
