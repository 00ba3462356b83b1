public import AppStore
public import AppStoreAPI
public import Intake
import Ledger
import LedgerStore
public import Projection
public import Signing
import Synchronization

/// Fetches the notifications of a window that are missing here: pages through notification history,
/// several slices of the window concurrently, and appends what is new. Each page's cursor is
/// durable before the next request, so that a killed recovery resumes where it was; repeated
/// notifications are duplicates.
public struct Recovery: Sendable {
    let request: RecoveryRequest
    let ledger: EnvironmentLedger
    let client: AppStoreServerAPIClient
    let intake: Ingest
    let clock: @Sendable () -> Timestamp

    /// The progress of a recovery.
    public struct Progress: Sendable {
        /// Pages taken in by this run.
        public package(set) var pageCount = 0
        /// Notifications on them, including those fetched earlier by an urgent pass.
        public package(set) var fetchedCount = 0
        /// Events appended by this run.
        public package(set) var appendedCount: Int64 = 0
        public package(set) var sliceCount = 0
        public package(set) var doneSliceCount = 0
        /// Refused evidence, the first `IngestSummary.maximumErrors` items.
        public package(set) var errors: [IngestError] = []
        /// Refusals in the passes that count for the window, and in those that only fetch earlier.
        var refusals: (counted: Int64, uncounted: Int64) = (0, 0)
        public var refusedCount: Int64 { max(refusals.counted, refusals.uncounted) }

        package init() {}
    }

    public typealias Report = @Sendable (Progress) -> Void

    /// Slices walked concurrently; with one, the same responses give the same sequence of requests.
    package var width = Recovery.walkCount
    /// Pages after which a run ends with `turnEnded`; each started slice still ends its page.
    package var pageLimit = Int.max
    /// Whether this run goes on with what an earlier run of the same process left at `turnEnded`.
    package var isContinued = false
    /// How long an interrupted `endsNow` recovery is resumed: a first sweep usually takes less.
    /// After that the same request begins a new window.
    static let openMilliseconds: Int64 = 86_400_000
    /// Slices walked concurrently: Apple responds slowly, and the client limits the rate.
    static let walkCount = APILimits.concurrency

    /// Recovers into `ledger`, which must be of the request's environment.
    public init(
        _ request: RecoveryRequest, ledger: EnvironmentLedger, client: AppStoreServerAPIClient,
        apps: [Configuration.App], verifier: EvidenceVerifier,
        revocation: RevocationChecks?, clock: @escaping @Sendable () -> Timestamp
    ) {
        self.request = request
        self.ledger = ledger
        self.client = client
        intake = Ingest(
            ledger: ledger, apps: apps, verifier: verifier, source: .history,
            revocation: revocation, clock: clock)
        self.clock = clock
    }

    /// A finished recovery; `RecoveryReport` describes its result.
    public struct Finished: Sendable {
        let record: RecoveryRecord
        let plan: RecoveryPlan
        public let progress: Progress
    }

    /// Fetches until every slice of the window was walked to its end.
    ///
    /// Throws `RecoveryFailure`; fetched events remain, and the next run continues from there.
    public func run(
        report: @escaping Report = { _ in }
    ) async throws(RecoveryFailure) -> Finished {
        var plan = RecoveryPlan(request)
        var start: Int64?
        try await storing { () throws(StoreError) in try await forgetForeign() }
        // Each cut leaves out more; a clock difference must not cause endless retries.
        // A continued run takes the largest at once: else every turn could start again.
        var margins = RecoveryPlan.historyMarginsMilliseconds.suffix(isContinued ? 1 : .max)
        while true {
            do throws(RecoveryFailure) { return try await run(plan, from: start, report) } catch {
                guard case .api(let failure) = error,
                    failure.appleCode == Raw(.startDateTooFarInPast),
                    let margin = margins.popFirst()
                else { throw error }
                // Starts again with what Apple still has; fetched events are duplicates.
                let now = max(clock(), failure.answeredAt ?? clock())
                guard let shorter = plan.cut(at: now, marginMilliseconds: margin) else {
                    // No run can end it.
                    _ = try await storing { () throws(StoreError) in
                        try await ledger.operations.endRecovery(request.name)
                    }
                    throw .tooOld
                }
                plan = shorter
                start = try await storing { () throws(StoreError) in
                    let start = try await ledger.operations.recovery(request.name)?.startPosition
                    try await ledger.operations.endRecovery(request.name)
                    return start
                }
            }
        }
    }

    /// Forgets a recovery that was recorded with another log, which held events that this one may
    /// lack.
    private func forgetForeign() async throws(StoreError) {
        guard let known = try await ledger.operations.recovery(request.name),
            try await !Projector.isOfThisLog(ledger, known.reached)
        else { return }
        try await ledger.operations.endRecovery(request.name)
    }

    private func run(
        _ requested: RecoveryPlan, from start: Int64?, _ report: @escaping Report
    ) async throws(RecoveryFailure) -> Finished {
        let operations = ledger.operations
        let begun = try await storing { () throws(StoreError) in
            let log = try await end()
            return try await operations.beginRecovery(
                request.name, at: clock(), start: start ?? log.position, log: log,
                slices: requested.first,
                keptFor: request.endsNow && !isContinued
                    ? Recovery.openMilliseconds : OperationsLimits.recoveryMilliseconds)
        }
        let plan = requested.resumed(begun.slices)
        let tally = RecoveryTally(report)
        tally.update {
            $0.sliceCount = begun.slices.count
            $0.doneSliceCount = begun.slices.count(where: \.isDone)
        }
        try await walk(begun, plan, tally)
        let record = try await storing { () throws(StoreError) in
            try await operations.recovery(begun.id)
        }
        // Notes made during the walk are lost with the record: nothing is then certain.
        var lost = begun
        lost.isFlawed = true
        return Finished(record: record ?? lost, plan: plan, progress: tally.progress)
    }

    // MARK: Walking

    private enum Walked: Sendable {
        case finished
        case divided([RecoverySlice])
        case failed(RecoveryFailure)
    }

    /// Walks slices, several concurrently, the first passes first.
    private func walk(
        _ record: RecoveryRecord, _ plan: RecoveryPlan, _ tally: RecoveryTally
    ) async throws(RecoveryFailure) {
        var waiting = record.slices.filter { !$0.isDone }
        let failure = await withTaskGroup(of: Walked.self) { group -> RecoveryFailure? in
            var failure: RecoveryFailure?
            var running = 0
            while true {
                if !waiting.isEmpty, isOver(tally) { failure = failure ?? .turnEnded }
                while failure == nil, running < width, !waiting.isEmpty {
                    let slice = waiting.removeFirst()
                    group.addTask { await walk(slice, record, plan, tally) }
                    running += 1
                }
                guard let walked = await group.next() else { return failure }
                running -= 1
                switch walked {
                case .finished: tally.update { $0.doneSliceCount += 1 }
                case .divided(let pieces):
                    tally.update { $0.sliceCount += pieces.count - 1 }
                    waiting = (waiting + pieces).sorted {
                        ($0.pass, $0.from) < ($1.pass, $1.from)
                    }
                case .failed(let reason):
                    // The first failure is the reason; the others were cancelled because of it.
                    if case .turnEnded? = failure { failure = reason }
                    failure = failure ?? reason
                    if case .turnEnded = reason { continue }
                    group.cancelAll()
                }
            }
        }
        if let failure { throw failure }
    }

    /// Walks one slice to its end, or until it is cut into smaller ones.
    private func walk(
        _ slice: RecoverySlice, _ record: RecoveryRecord, _ plan: RecoveryPlan,
        _ tally: RecoveryTally
    ) async -> Walked {
        var slice = slice
        var restarts = 0
        while true {
            do throws(RecoveryFailure) {
                return try await pages(&slice, record, plan, tally)
            } catch {
                guard case .api(let failure) = error,
                    failure.isExpiredPlace || failure.code == .endlessPages
                else { return .failed(error) }
                // The next run must not resume from an invalid cursor.
                slice.place = nil
                slice.fetchedCount = 0
                do throws(RecoveryFailure) {
                    try await advance(slice, record, [], nil, isFlawed: false, .start)
                } catch { return .failed(error) }
                guard failure.isExpiredPlace, restarts < APILimits.restartCount else {
                    return .failed(error)
                }
                restarts += 1
            }
        }
    }

    private func pages(
        _ slice: inout RecoverySlice, _ record: RecoveryRecord, _ plan: RecoveryPlan,
        _ tally: RecoveryTally
    ) async throws(RecoveryFailure) -> Walked {
        let isFirst = slice.place == nil
        var pages = client.notificationHistoryPages(
            plan.question(slice), after: slice.place, in: request.environment
        ).makeAsyncIterator()
        let resumedCount = slice.fetchedCount
        var restarts = 0
        var pageCount = 0
        while let page = try await next(&pages) {
            if pages.restarts != restarts {
                restarts = pages.restarts
                slice.fetchedCount = resumedCount
            }
            let (summary, log) = try await take(page, slice)
            let items = page.value.notificationHistory ?? []
            pageCount += 1
            let pieces =
                isFirst && pageCount == 1 && page.value.isFollowed
                ? plan.pieces(of: slice, now: min(clock(), page.date ?? clock())) : nil
            // Notifications that the pieces fetch again are counted there.
            let isCounted = plan.isCounted(slice.pass) && pieces == nil
            tally.update { $0.take(summary, items.count, isCounted: isCounted) }
            if let pieces {
                try await storing { () throws(StoreError) in
                    try await ledger.operations.divideRecovery(
                        record.id, slice, into: pieces, appleDate: page.date,
                        isFlawed: !summary.isClean, log: log)
                }
                return .divided(pieces)
            }
            slice.fetchedCount += Int64(items.count)
            slice.isDone = !page.value.isFollowed
            slice.place = slice.isDone ? nil : page.value.nextPlace
            let undelivered = items.compactMap { UndeliveredNotification($0) }
            try await advance(
                slice, record, undelivered, page.date, isFlawed: !summary.isClean, log)
            if !slice.isDone, isOver(tally) { throw .turnEnded }
        }
        return .finished
    }

    private func isOver(_ tally: RecoveryTally) -> Bool {
        tally.progress.pageCount >= pageLimit
    }

    // MARK: Steps

    private func next(
        _ pages: inout PageWalk<NotificationHistoryResponse>.Iterator
    ) async throws(RecoveryFailure) -> APIResponse<NotificationHistoryResponse>? {
        do throws(APIFailure) { return try await pages.next() } catch { throw .api(error) }
    }

    /// Verifies and appends a page; durable when it returns.
    private func take(
        _ page: APIResponse<NotificationHistoryResponse>, _ slice: RecoverySlice
    ) async throws(RecoveryFailure) -> (IngestSummary, ProjectionCursor) {
        guard page.value.notificationHistory?.isEmpty == false else {
            return (IngestSummary(), .start)
        }
        return try await storing { () throws(StoreError) in
            let summary = try await intake.run(
                lines: [page.body], input: "notificationHistory")
            return (summary, try await ledger.checkpoint(at: summary.position) ?? .start)
        }
    }

    private func end() async throws(StoreError) -> ProjectionCursor {
        try await ledger.checkpoint(at: try await ledger.log.head().position) ?? .start
    }

    private func advance(
        _ slice: RecoverySlice, _ record: RecoveryRecord,
        _ undelivered: [UndeliveredNotification], _ date: Timestamp?, isFlawed: Bool,
        _ log: ProjectionCursor
    ) async throws(RecoveryFailure) {
        try await storing { () throws(StoreError) in
            let kept = try await unerased(undelivered)
            try await ledger.operations.advanceRecovery(
                record.id, slice, undelivered: kept.map { ($0.uuid, $0.text) },
                appleDate: date, isFlawed: isFlawed, log: log)
        }
    }

    /// Leaves out notifications whose events were erased: a notificationUUID would lead to the
    /// tombstone, and so to the pseudonym of the erased chain.
    func unerased(
        _ undelivered: [UndeliveredNotification]
    ) async throws(StoreError) -> [UndeliveredNotification] {
        var kept: [UndeliveredNotification] = []
        for notification in undelivered {
            let key = EventKey.make(.notification, [notification.uuid])
            let known = try await ledger.log.event(key: key)
            let isErased = known.map { $0.evidence == nil && $0.damage == nil } ?? false
            if !isErased { kept.append(notification) }
        }
        return kept
    }

    func storing<Value>(
        _ body: () async throws(StoreError) -> Value
    ) async throws(RecoveryFailure) -> Value {
        do throws(StoreError) { return try await body() } catch { throw .store(error) }
    }
}

extension Recovery.Progress {
    fileprivate mutating func take(_ summary: IngestSummary, _ fetched: Int, isCounted: Bool) {
        pageCount += 1
        fetchedCount += fetched
        appendedCount += summary.appended + summary.conflicts
        if isCounted {
            refusals.counted += summary.refused
        } else {
            refusals.uncounted += summary.refused
        }
        errors += summary.errors.prefix(max(0, IngestSummary.maximumErrors - errors.count))
    }
}

/// The combined progress of all walks.
private final class RecoveryTally: Sendable {
    private let state = Mutex(Recovery.Progress())
    private let report: Recovery.Report

    init(_ report: @escaping Recovery.Report) { self.report = report }

    var progress: Recovery.Progress { state.withLock { $0 } }

    func update(_ change: (inout Recovery.Progress) -> Void) {
        report(
            state.withLock { progress in
                change(&progress)
                return progress
            })
    }
}
