public import AppStore
public import Ledger

/// Operational state of one environment on which no answer depends: quarantine, cursors of
/// recoveries, backfills and feeds, webhook deliveries, keys of uploads. Losing it loses no answer.
///
/// Every call is one transaction, durable when it returns.
public protocol OperationalState: QuarantineStore {
    // MARK: The store

    /// Names the store in messages: the path of its file.
    var location: String { get }

    /// Throws the reason why the store cannot be used now: `fileReplaced` or `closed`.
    func requireUsable() throws(StoreError)

    /// The exclusive right to a task in this environment, held until the last reference is released
    /// or the process ends, however it ends; nil while it is held elsewhere.
    func lease(_ task: ExclusiveTask) async throws(StoreError) -> (any Lease)?

    /// Later calls throw `closed`.
    func close() async

    /// The number of items in quarantine.
    func quarantineCount() async throws(StoreError) -> Int

    /// What is in quarantine, for every standing in the order of their codes; costs no scan.
    func quarantineTotals() async throws(StoreError) -> [QuarantineTotal]

    /// Items before `id` (nil: the newest), newest first, without bytes; at most `limit`, itself at
    /// most `QuarantineLimits.pageCount`.
    func quarantined(before id: Int64?, limit: Int) async throws(StoreError) -> [QuarantineItem]

    // MARK: Recovery

    /// The recovery with that name, if it was interrupted; otherwise a new one.
    ///
    /// - `start`: of a new one, the end of the log before its first request.
    /// - `log`: the end of the log.
    /// - `slices`: the slices of a new one.
    /// - `lifetime`: how long after its start it can be continued, milliseconds.
    func beginRecovery(
        _ id: String, at now: Timestamp, start: Int64, log: ProjectionCursor,
        slices: [RecoverySlice], keptFor lifetime: Int64
    ) async throws(StoreError) -> RecoveryRecord

    /// Stores the progress through a slice, and the results of its last page.
    ///
    /// - `undelivered`: undeliverable notifications by name.
    /// - `log`: the end of the log that includes that page.
    func advanceRecovery(
        _ id: String, _ slice: RecoverySlice, undelivered: [(name: String, body: String)],
        appleDate: Timestamp?, isFlawed: Bool, log: ProjectionCursor
    ) async throws(StoreError)

    /// Replaces a slice with smaller ones.
    func divideRecovery(
        _ id: String, _ slice: RecoverySlice, into pieces: [RecoverySlice],
        appleDate: Timestamp?, isFlawed: Bool, log: ProjectionCursor
    ) async throws(StoreError)

    /// The current state of the recovery; nil when it is unknown, or no longer stored.
    func recovery(_ id: String) async throws(StoreError) -> RecoveryRecord?

    /// The notifications in a recovery's window that Apple could not deliver, by name; the first
    /// `OperationsLimits.undeliveredCount`.
    func undelivered(_ id: String) async throws(StoreError) -> [String]

    /// Removes a finished recovery and stores its report: both, or neither. The newest
    /// `OperationsLimits.recoveryReportCount` reports are kept.
    ///
    /// - `report`: nil when there is nothing to store.
    func endRecovery(_ id: String, keeping report: StoredReport?) async throws(StoreError)

    /// The report of the last recovery that ended here; nil when none is stored.
    ///
    /// - Parameter app: only reports of this app.
    func lastRecoveryReport(of app: BundleId?) async throws(StoreError) -> StoredReport?

    /// The stored reports without their contents, newest first.
    func recoveryReports() async throws(StoreError) -> [StoredReportEntry]

    /// One stored report; nil when it is no longer stored.
    func recoveryReport(_ id: Int64) async throws(StoreError) -> StoredReport?

    /// Recoveries that have begun and not ended, newest first: they are running, or were
    /// interrupted and can be continued.
    func openRecoveries() async throws(StoreError) -> [RecoveryRecord]

    // MARK: Uploads

    /// Assigns a key to a request, or returns its state.
    ///
    /// - `request`: SHA-256 of the body.
    func take(
        uploadKey key: String, request: Digest, at now: Timestamp
    ) async throws(StoreError) -> UploadKey

    /// Stores the record from which a request is answered, unless there is one; returns the stored
    /// record.
    func keep(
        _ record: UploadRecord, uploadKey key: String
    ) async throws(StoreError) -> UploadRecord

    /// Releases a key whose request was refused.
    func forget(uploadKey key: String) async throws(StoreError)

    // MARK: Backfill, look-ups and histories

    /// The progress through a list and its failures; nil when it was never started, or has ended.
    func backfill(
        _ list: Digest
    ) async throws(StoreError) -> (run: BackfillRun, troubles: [BackfillRun.Trouble])?

    /// Stores the progress through a list and the failures since the last call; all of it or
    /// nothing.
    ///
    /// - `solved`: the index of an id that had failed and no longer does.
    func keep(
        _ run: BackfillRun, of list: Digest, troubles: [BackfillRun.Trouble], solved: Int?,
        at now: Timestamp
    ) async throws(StoreError)

    /// Removes a list: it is done, or starts again.
    func forgetBackfill(_ list: Digest) async throws(StoreError)

    /// Every chain that was looked up because of its notices and still had notices.
    func lookups() async throws(StoreError) -> [ChainId: ChainLookup]

    /// Stores when a chain was looked up; nil removes the entry, when no notices are left.
    func keep(_ lookup: ChainLookup?, of chain: ChainId) async throws(StoreError)

    /// The position reached in this history; nil when there is none.
    func place(_ key: HistoryPlace.Key) async throws(StoreError) -> HistoryPlace?

    /// Stores the position reached in a history; nil removes it.
    func keep(_ place: HistoryPlace?, of key: HistoryPlace.Key) async throws(StoreError)

    // MARK: Erasure

    /// Removes what is kept about chains, ids and positions: look-ups, places in histories,
    /// answers to retention requests, readings of the clock, waiting deliveries, keys of uploads,
    /// failures of backfills, undelivered notifications and reports that name one. Quarantined
    /// inputs are removed one by one.
    func erase(
        chains: [ChainId], ids: [String], positions: [Int64]
    ) async throws(StoreError)

    /// How often `erase` was called, by any process.
    func erasureCount() async throws(StoreError) -> Int64

    /// Removes what is left of removed rows in the store's files.
    func purge() async throws(StoreError)

    // MARK: Checkpoints

    /// Keeps a signed checkpoint for ever; replaces one of the same size, which then has fewer
    /// signatures of witnesses.
    func keep(_ checkpoint: StoredCheckpoint) async throws(StoreError)

    /// Keeps checkpoints of the same log from elsewhere, all of them or none. Where one of the same
    /// size is kept, the signatures that it lacks are added; where that one states another root or
    /// origin, it stays and the other is refused.
    ///
    /// - Returns: how many were refused.
    func adopt(_ checkpoints: [StoredCheckpoint]) async throws(StoreError) -> Int

    /// The checkpoints kept of more than `size` events, in order; at most `limit`.
    func checkpoints(after size: Int64, limit: Int) async throws(StoreError) -> [StoredCheckpoint]

    /// The checkpoints kept of fewer than `size` events, newest first; at most `limit`.
    func checkpoints(before size: Int64, limit: Int) async throws(StoreError) -> [StoredCheckpoint]

    // MARK: Retention messages

    /// Stores answers to requests for retention messages; a request that is known keeps its first
    /// answer. Drops answers older than `OperationsLimits.retentionMilliseconds` before the newest
    /// one given, and the oldest beyond `OperationsLimits.retentionAnswerCount`.
    ///
    /// An erasure is appended to the log between two calls of `erase`. Where the caller reads the
    /// count and then looks for erasures in the log, nothing of an erased chain remains: the look
    /// finds the erasure, or the second `erase` comes before this call, which is then refused, or
    /// after it, and removes the answer.
    ///
    /// - Parameters:
    ///   - answers: in any order.
    ///   - count: `erasureCount` before the look.
    /// - Returns: false where `erase` was called since, and nothing was stored.
    func keep(
        _ answers: [RetentionRecord], erasures count: Int64
    ) async throws(StoreError) -> Bool

    /// The answers after a place and before a time, in order; at most `limit`.
    func retentionAnswers(
        after place: RetentionRecord.Place, before end: Timestamp, limit: Int
    ) async throws(StoreError) -> [RetentionRecord]

    // MARK: The feed's clock

    /// How far the clock has advanced, and the end of the log at that time; nil before the first
    /// time. The leaf hash is nil where an earlier release stored none; `looksAgain` is set where
    /// an earlier release may have left something out.
    func feedClock() async throws(StoreError) -> (
        end: ProjectionCursor, at: Timestamp, looksAgain: Bool
    )?

    /// Stores that the clock advanced to `at` when the log ended at `end`, and which chains changed
    /// by that, in order. Committed before the changes are emitted.
    func keepClock(
        end: ProjectionCursor, at: Timestamp, chains: [ChainId]
    ) async throws(StoreError)

    /// The ends of the log at which readings were made, newest first, before `position`.
    func readingEnds(
        before position: Int64, limit: Int
    ) async throws(StoreError) -> [ProjectionCursor]

    /// Removes readings after `end`, which belonged to another log. The clock goes back to the
    /// newest remaining one, so that everything due since is evaluated again.
    func forgetClock(after end: ProjectionCursor) async throws(StoreError)

    /// The readings that concern each of the chains.
    func clockReadings(
        of chains: [ChainId]
    ) async throws(StoreError) -> [ChainId: [ClockReading]]

    /// The chains of readings that may hold changes after the cursor, up to and including the
    /// position, in order; at most `limit`.
    func clockReadings(
        after cursor: ChangePlace, through position: Int64, limit: Int
    ) async throws(StoreError) -> [(chain: ChainId, reading: ClockReading)]

    // MARK: Webhooks

    /// The state of one endpoint; nil when it is not registered.
    func webhookEndpoint(_ name: String) async throws(StoreError) -> WebhookEndpointRow?

    /// Registers an endpoint and its starting place unless it is registered: of several processes
    /// the first one decides.
    ///
    /// - Returns: its stored state.
    func begin(_ endpoint: WebhookEndpointRow) async throws(StoreError) -> WebhookEndpointRow

    /// Moves an endpoint's cursor, and adds and removes waiting changes, in one transaction: a
    /// crash before it repeats deliveries and loses none.
    func keep(
        _ endpoint: WebhookEndpointRow, waiting: [WaitingChange], done: [ChainPlace]
    ) async throws(StoreError)

    /// Changes waiting for an endpoint, in feed order; with `parked`, those that were given up
    /// instead.
    func waiting(
        for endpoint: String, parked: Bool, limit: Int
    ) async throws(StoreError) -> [WaitingChange]

    /// The numbers of changes waiting for an endpoint and given up.
    func waitingCounts(
        for endpoint: String
    ) async throws(StoreError) -> (waiting: Int, parked: Int)

    /// Keeps the newest `limit` parked changes; returns how many were dropped.
    func dropParked(for endpoint: String, keeping limit: Int) async throws(StoreError) -> Int

    /// Resumes delivery to an endpoint that reported that it is gone.
    func enableWebhook(_ name: String) async throws(StoreError)

    /// Removes parked changes that were delivered after all.
    func forgetParked(_ places: [ChainPlace], of endpoint: String) async throws(StoreError)
}

extension OperationalState {
    /// Removes a finished recovery that has no report to store.
    public func endRecovery(_ id: String) async throws(StoreError) {
        try await endRecovery(id, keeping: nil)
    }

    /// Moves an endpoint's cursor, and removes changes that no longer wait.
    public func keep(
        _ endpoint: WebhookEndpointRow, done: [ChainPlace] = []
    ) async throws(StoreError) {
        try await keep(endpoint, waiting: [], done: done)
    }

    /// Changes waiting for an endpoint, in feed order.
    public func waiting(
        for endpoint: String, limit: Int
    ) async throws(StoreError) -> [WaitingChange] {
        try await waiting(for: endpoint, parked: false, limit: limit)
    }
}

/// What only one process may do in an environment at a time.
public enum ExclusiveTask: String, Sendable {
    /// Two recoveries would share their cursors and count each other's work.
    case recovery
    /// Two deliverers would send every change twice, and overwrite each other's cursor.
    case webhooks
    /// Two clocks would emit due changes at different places of the feed.
    case feedClock
    /// Two loops would send Apple twice the requests.
    case reconcile
    /// Two watches would sweep the same windows.
    case recoveryWatch
    /// Two runs would share the progress through a list.
    case backfill
    /// Two signers would send witnesses every checkpoint twice.
    case checkpoints
}

/// The right to a task (`OperationalState.lease`); ends with its last reference.
public protocol Lease: AnyObject, Sendable {
    /// False once another node may have taken over, because this one was silent for too long.
    var isHeld: Bool { get }
}

/// The state of an upload's key.
public enum UploadKey: Hashable, Sendable {
    /// The key is now assigned to this request.
    case new
    /// The key belongs to the same request, which is not answered yet.
    case open
    /// This request was answered.
    case answered(UploadRecord)
    /// The key belongs to another request.
    case taken
}

/// Bounds of operational state. Each is tested at the bound and one past it.
public enum OperationsLimits {
    /// Recoveries that are not continued are dropped after this time, milliseconds.
    public static let recoveryMilliseconds: Int64 = 7 * 86_400_000
    /// Undeliverable notifications stored per recovery.
    public static let undeliveredCount = 1_000
    /// Reports of recoveries stored.
    public static let recoveryReportCount = 20
    /// How long keys of uploads are kept, milliseconds.
    public static let uploadKeyMilliseconds: Int64 = 24 * 3_600_000
    /// Keys of uploads kept; beyond it the oldest is dropped.
    public static let uploadKeyCount = 100_000
    /// How long answers to requests for retention messages are kept, milliseconds.
    public static let retentionMilliseconds: Int64 = 400 * 86_400_000
    /// Answers to requests for retention messages kept; beyond it the oldest is dropped.
    public static let retentionAnswerCount: Int64 = 1_000_000
    /// Unfinished backfill lists kept; beyond it the least recently touched one is dropped.
    public static let backfillRunCount = 100
}
