public import AppStore
public import LedgerStore
public import Projection
internal import SQLiteStore
import Synchronization

/// One environment's ledger, open while the service runs: events are projected after the response,
/// and queries are answered from the last published state.
public final class ServedLedger: Sendable {
    public let ledger: EnvironmentLedger
    let board = PositionWaiters()
    let wake = WakeSignal()
    let observer: any ServingObserver
    let health = Mutex(Health())
    /// Cached rows of recently queried customers.
    let hotCustomers = HotReadings<ProjectionsStore.CustomerKey, CachedCustomer>(
        maximumCost: ServedLedger.hotRowCount, cost: \.rowCount)
    /// Reads for requests for retention messages.
    let retentionReads = RetentionReads()
    /// Called after an erasure: each clears other data about persons of this ledger from memory.
    let erasureHandlers = Mutex<[@Sendable () -> Void]>([])
    /// The projections and the position of answers when erasures were last looked for.
    let lastForgotten = Mutex<(path: String, position: Int64)?>(nil)
    /// When derived files of the time before an erasure are looked for next; nil where none can be
    /// left. At once at the start, after each order to erase, where the projector could not be
    /// opened, failed or gave way, and where another process made other files current; later where
    /// a reader has some of them open.
    let erasedFilesDue = Mutex<ContinuousClock.Instant?>(.now)
    /// The newest events of each app.
    let arrivals = AppArrivals()
    /// The stored part of the last status.
    let storedStatus = Mutex<StoredStatus?>(nil)
    /// Serializes commands.
    let decisions = AsyncLock()
    /// Serializes erasures, apart from commands: an erasure may take minutes, and the log refuses a
    /// command about what it erased.
    let erasures = AsyncLock()
    /// Serializes reports over all chains.
    let reports = AsyncLock()
    /// Reports that clients wait for, the one being computed included.
    let askedReports = Mutex(0)
    let proofs: TreeProver
    /// Keeps refused evidence.
    let quarantine: QuarantineQueue

    struct Health {
        var projection: StoreError?
        var append: StoreError?
        /// Whether the projector's current round builds files in bulk.
        var isRebuilding = false
        /// When the end of the log was last read while projecting did not fail, and the first end
        /// read.
        var readAt: ContinuousClock.Instant?
        var origin: Int64?
        /// The greatest position that `catchingUp` stated of files that are built in bulk.
        var built: Int64 = 0
        var hasReadEnd = false
        /// Increases with every result of an append; a check of health that began before is out of
        /// date.
        var appendVersion = 0
        /// When the log was last written, or its lock last checked.
        var checkedAt: ContinuousClock.Instant?
        /// Whether a transaction was ever made durable here: until then a log that can be locked
        /// may be on a full disk.
        var hasCommitted = false
        /// Whether a running node has later answers.
        var hasNodeAhead = false
        var isStopping = false
    }

    /// Rows of customers cached.
    static let hotRowCount = 32_768

    /// How long a query waits for `minPosition` before it fails (`Contract.md`).
    public static let waitLimit: Duration = .seconds(2)
    let waitLimit: Duration

    public var environment: Environment { ledger.environment }

    init(
        _ ledger: EnvironmentLedger, observer: any ServingObserver,
        waitLimit: Duration = ServedLedger.waitLimit
    ) {
        self.ledger = ledger
        proofs = TreeProver(ledger.log, directory: ledger.directory)
        quarantine = QuarantineQueue(ledger.operations)
        self.waitLimit = waitLimit
        self.observer = observer
    }

    // MARK: Queries

    /// The state to answer from, including at least `position`. Waits `limit` for it, by
    /// default `waitLimit`.
    ///
    /// Throws `projectionBehind`, or `otherRules` at once.
    public func snapshot(
        atLeast position: Int64? = nil, limit: Duration? = nil
    ) async throws(ServingError) -> LedgerSnapshot {
        let wanted = position ?? 0
        if let snapshot = board.snapshot, snapshot.position >= wanted { return snapshot }
        wake.raise()
        let snapshot = await board.snapshot(atLeast: wanted, limit: limit ?? waitLimit)
        guard let snapshot, snapshot.position >= wanted else {
            if board.refusedPath != nil { throw .otherRules }
            throw .projectionBehind(position: snapshot?.position ?? 0)
        }
        return snapshot
    }

    /// How far the answers are behind the log.
    public var lag: (positions: Int64, time: Duration) { board.lag() }

    /// The number of positions after `position`, which an answer of that state does not include.
    func lag(after position: Int64) -> Int64 { max(0, head - position) }

    /// The end of the log, as known in this process.
    public var head: Int64 { board.head }

    /// The last position that answers include; nil before the first state.
    public var projectedPosition: Int64? { board.snapshot?.position }

    /// Why events cannot be accepted; nil when they can, as far as known.
    public var obstacle: StoreError? { health.withLock { $0.append } }

    /// Why projecting failed, until a retry succeeds; nil while it works.
    public var projectionFailure: StoreError? { health.withLock { $0.projection } }

    // MARK: Appending

    /// Appends events and wakes the projector. Durable when it returns.
    ///
    /// - Parameter position: as in `LedgerLog.append(_:notErasedAfter:)`.
    func append(
        _ events: [NewEvent], notErasedAfter position: Int64? = nil
    ) async throws(StoreError) -> [AppendResult] {
        let start = ContinuousClock.now
        do throws(StoreError) {
            let results = try await ledger.log.append(events, notErasedAfter: position)
            observer.appended(start.duration(to: .now))
            // Duplicates need no write and do not show that writing is possible.
            if results.contains(where: \.isWritten) { note(append: nil) }
            if let last = results.lazy.map(\.position).max() {
                board.reached(head: last)
                wake.raise()
            }
            return results
        } catch {
            // A briefly full queue, or an erasure, says nothing about the next event.
            if ![.queueFull, .erasureOvertaken].contains(error.code) { note(append: error) }
            throw error
        }
    }

    /// - Parameters:
    ///   - version: `appendVersion` at the time of the check; nil for an append itself.
    ///   - isCommit: whether the result comes from a COMMIT.
    func note(append error: StoreError?, asOf version: Int? = nil, isCommit: Bool = true) {
        health.withLock { health in
            guard version == nil || version == health.appendVersion else { return }
            if error == nil, isCommit { health.hasCommitted = true }
            if version == nil { health.appendVersion += 1 }
            if error == nil { health.checkedAt = .now }
            if error != nil || health.append != nil { health.append = error }
        }
    }

    /// Notes the projector's state; nil: it runs.
    func note(projection error: StoreError?) {
        let before = health.withLock { health in
            defer { health.projection = error }
            // Answers follow the log again: the age of a later failure starts here.
            if error == nil, health.projection != nil { health.readAt = .now }
            return health.projection
        }
        if let error, before != error {
            observer.noted(.projectionFailed(environment, error))
        } else if error == nil, before != nil {
            observer.noted(.projectionResumed(environment))
        }
    }

    // MARK: Stopping

    var isStopping: Bool { health.withLock { $0.isStopping } }

    /// Requests the projector to finish.
    func stop() {
        health.withLock { $0.isStopping = true }
        wake.raise()
    }
}
