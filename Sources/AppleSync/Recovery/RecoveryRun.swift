import AppStore
import Ledger
public import LedgerStore
public import Projection
internal import SQLiteStore

/// A recovery from its first request to its report.
public struct RecoveryRun: Sendable {
    let recovery: Recovery
    let projecting: Projecting
    private let reporting: Emission

    /// Notifications that Apple signed within this time before the request may not be in its
    /// history yet: they are fetched if present, but the time is not confirmed as complete.
    public static let settleMilliseconds: Int64 = 5 * 60_000
    /// Wait for another recovery in the same ledger, and its poll interval.
    static let patienceMilliseconds = 60_000
    private static let retryMilliseconds = 100

    /// Catches derived data up with the log.
    public typealias Projecting = @Sendable () async throws(StoreError) -> LedgerSnapshot

    /// The recipient of the report, which decides which reports are stored.
    public enum Emission: Sendable {
        /// A user; with the windows that outage detection had proposed, if it was run.
        case caller(suggested: [OutageDetection.Suggestion]?)
        /// A log: only reports with new or refused events are stored.
        case log
    }

    /// The report is stored until twenty others have replaced it.
    public init(
        _ recovery: Recovery, reporting: Emission = .caller(suggested: nil),
        projecting: @escaping Projecting
    ) {
        self.recovery = recovery
        self.reporting = reporting
        self.projecting = projecting
    }

    private var ledger: EnvironmentLedger { recovery.ledger }
    private var request: RecoveryRequest { recovery.request }

    /// Fetches, appends, confirms completeness in the log where it holds, and returns the report.
    ///
    /// - `held`: the recovery lease of this ledger; nil: waits for it.
    public func run(
        holding held: (any Lease)? = nil, report: @escaping Recovery.Report = { _ in }
    ) async throws(RecoveryFailure) -> RecoveryReport {
        let lock = if let held { held } else { try await waitForLease() }
        defer { withExtendedLifetime(lock) {} }
        let finished = try await recovery.run(report: report)
        return try await recovery.storing { () throws(StoreError) in
            _ = try await projecting()
            let reservation = try await confirm(finished)
            while true {
                // Before the state: the report may name a person whom a later erasure erases.
                let erasures = try await ledger.operations.erasureCount()
                let snapshot = try await projecting()
                let reported = try await makeReport(finished, reservation, snapshot)
                // The report is durable before it is returned: a kill in between loses nothing.
                let isKept = try await ledger.operations.endRecovery(
                    finished.record.id, keeping: kept(reported), erasures: erasures)
                if isKept { return reported }
            }
        }
    }

    /// The recovery lease, once another recovery in this ledger has ended. Throws `running` when it
    /// takes too long.
    private func waitForLease() async throws(RecoveryFailure) -> any Lease {
        var patience = RecoveryRun.patienceMilliseconds
        while true {
            let lease = try await recovery.storing { () async throws(StoreError) in
                try await ledger.operations.lease(.recovery)
            }
            if let lease { return lease }
            guard patience > 0 else { throw .running }
            do { try await Task.sleep(for: .milliseconds(RecoveryRun.retryMilliseconds)) } catch {
                throw .running
            }
            patience -= RecoveryRun.retryMilliseconds
        }
    }

    // MARK: Confirming

    /// Appends a sweep if it extends the certain window. Returns why part of the window is not
    /// certain; nil if all of it is.
    private func confirm(
        _ finished: Recovery.Finished
    ) async throws(StoreError) -> RecoveryReport.Reservation? {
        guard request.isWhole else { return .filtered }
        guard !finished.record.isFlawed else { return .refused }
        let record = finished.record
        // Notifications that Apple signed after the request, or just before it, are unknown.
        let requestedAt = min(record.requestedAt, record.appleRequestedAt ?? record.requestedAt)
        let settled = requestedAt.advanced(byMilliseconds: -RecoveryRun.settleMilliseconds)
        let sweep = Sweep(
            bundleId: request.bundleId, from: finished.plan.from,
            through: min(finished.plan.to, settled), requestedAt: requestedAt,
            startPosition: record.startPosition, fetchedCount: finished.fetchedCount)
        let completeness = ledger.completeness
        let state = completeness.state(of: request.bundleId)
        let isVersionOne =
            completeness.isVersionOne(sweep) || state?.versionOneAt.map { sweep.from < $0 } ?? false
        guard completeness.window(after: sweep, in: request.environment) != nil else {
            guard sweep.from < sweep.through else { return .future }
            guard !isVersionOne else { return .versionOne }
            let touches = state?.window.map {
                sweep.from <= $0.through && sweep.through >= $0.from
            }
            return touches ?? true ? nil : .gap
        }
        guard try await isVersionTwo(sweep, state) else { return .versionOne }
        let parts = [
            sweep.bundleId.rawValue, String(sweep.from.milliseconds),
            String(sweep.through.milliseconds), String(requestedAt.milliseconds),
            String(sweep.startPosition),
        ]
        let event = NewEvent(
            key: EventKey.make(.sweep, parts),
            attributes: EventAttributes(
                kind: .sweep, source: .history, trust: .transport, bundleId: sweep.bundleId,
                chain: nil),
            receivedAt: recovery.clock(), receivedAtClaimed: false,
            evidence: try ledger.log.packer.pack(.verbatim(sweep.evidence)))
        _ = try await ledger.log.append([event])
        return isVersionOne ? .versionOne : nil
    }

    /// Whether Apple sends version 2: not where version 1 ended the certain window, until a
    /// notification is here that was signed after the last of version 1. Those that a sweep found
    /// may be older.
    private func isVersionTwo(
        _ sweep: Sweep, _ state: Completeness.State?
    ) async throws(StoreError) -> Bool {
        guard let state, state.window == nil, let last = state.versionOneAt else { return true }
        let later = CompleteWindow(from: last, through: sweep.through)
        let head = try await ledger.log.head().position
        var cursor = state.position
        while cursor < head {
            let page = try await ledger.log.notifications(
                signedIn: later, after: cursor, through: head)
            let isFound = page.found.contains {
                $0.bundleId == sweep.bundleId && $0.signedAt != nil
            }
            if isFound { return true }
            cursor = page.next
        }
        return false
    }

    // MARK: Reporting

    private func kept(_ report: RecoveryReport) -> StoredReport? {
        let suggested: [OutageDetection.Suggestion]?
        switch reporting {
        case .caller(let windows): suggested = windows
        case .log:
            guard report.newCount > 0 || report.isFlawed else { return nil }
            suggested = nil
        }
        var json = JSONWriter()
        report.write(to: &json, suggested: suggested)
        return StoredReport(
            bundleId: request.bundleId, endedAt: recovery.clock(), isFlawed: report.isFlawed,
            json: String(decoding: json.bytes, as: UTF8.self), text: RecoveryText.report(report))
    }

    private func makeReport(
        _ finished: Recovery.Finished, _ reservation: RecoveryReport.Reservation?,
        _ snapshot: LedgerSnapshot
    ) async throws(StoreError) -> RecoveryReport {
        let record = finished.record
        var report = RecoveryReport(
            complete: ledger.complete(of: request.bundleId, .everything, head: snapshot.position),
            position: snapshot.position)
        (report.from, report.to) = (finished.plan.from, finished.plan.to)
        report.endsEarlier = finished.plan.to < request.to
        report.reservation = reservation
        try await RecoveryEffect(
            snapshot: snapshot, request: request, start: record.startPosition,
            now: recovery.clock()
        ).add(to: &report)
        report.fetchedCount = max(finished.fetchedCount, report.newCount)
        let undelivered = try await ledger.operations.undelivered(record.id)
        report.isUndeliveredCut = undelivered.count >= OperationsLimits.undeliveredCount
        // One may have been erased since it was kept.
        report.undelivered = try await recovery.unerased(
            undelivered.compactMap { UndeliveredNotification(kept: $0) })
        if finished.plan.from > request.from {
            report.tooOldCount = try await snapshot.projections.chainCount(
                of: request.bundleId, aliveFrom: request.from, before: finished.plan.from)
        }
        report.refusedCount = finished.progress.refusedCount
        report.absentCount = finished.progress.refusals.counted
        report.errors = finished.progress.errors
        return report
    }
}

extension Recovery.Finished {
    /// Notifications received in the passes that count for the window, repetitions included.
    var fetchedCount: Int64 {
        record.slices.filter { plan.isCounted($0.pass) }.reduce(0) { $0 + $1.fetchedCount }
    }
}
