import AppStore
public import AppStoreAPI
internal import AppleSync
internal import Intake
import Ledger
internal import LedgerStore
internal import Projection
public import Queries

/// Detects outages while the service runs and recovers from them automatically; also sweeps Apple's
/// history every hour, so that answers can state up to when everything is here.
public struct RecoveryWatch: Sendable {
    let host: LedgerHost
    let clients: [AppStoreServerAPIClient]
    let clock: any ServiceClock
    let report: @Sendable (ServingNote) -> Void
    private let uncertain = UncertainSweeps()
    private let watched: [(served: ServedLedger, lease: KeptLease)]

    /// Interval of checks.
    public static let intervalMilliseconds: Int64 = 10 * 60_000
    /// Delay of the first check after a start, to recover soon what was missed while the service
    /// was down.
    public static let firstMilliseconds: Int64 = 15_000
    /// Maximum age of the certain window; a sweep runs before, given the check interval. No longer
    /// than a suspicious silence, so that an app with quiet nights is swept at night but never
    /// suspected of an outage.
    public static let sweepMilliseconds = OutageDetection.shortestSilenceMilliseconds
    /// Sweeps begin this long before the end of the certain window.
    static let overlapMilliseconds: Int64 = 3_600_000
    /// Pages of one turn of a sweep: 40,000 notifications, in less than a minute at Apple's rate.
    package var turnPageCount = 2_000

    /// - `host`: owns the ledgers; Production and Sandbox are checked.
    /// - `clients`: one for each app with an API key.
    public init(
        host: LedgerHost, clients: [AppStoreServerAPIClient], clock: any ServiceClock,
        report: @escaping @Sendable (ServingNote) -> Void
    ) {
        self.host = host
        self.clients = clients
        self.clock = clock
        self.report = report
        watched = host.usualLedgers(for: .recoveryWatch)
    }

    /// Runs until the task is cancelled; events recovered by then remain.
    public func run() async {
        defer { for (_, lease) in watched { lease.release() } }
        do throws(CancellationError) {
            try await clock.sleep(milliseconds: RecoveryWatch.firstMilliseconds)
            while !Task.isCancelled {
                await TraceContext.$current.withValue(TraceContext()) { await check() }
                try await clock.sleep(milliseconds: RecoveryWatch.intervalMilliseconds)
            }
        } catch {
            return
        }
    }

    /// An app in an environment, and its sweep that goes on in the next turn.
    private struct Place {
        let served: ServedLedger
        let lease: KeptLease
        let client: AppStoreServerAPIClient
        var sweep: DueSweep?
    }

    private struct DueSweep {
        let request: RecoveryRequest
        let suggestions: [OutageDetection.Suggestion]
        /// The end of the certain window before it.
        let certain: Timestamp?
        let checkedAt: Timestamp
        var isContinued = false
    }

    /// Checks every app, in every environment that Apple answers for; returns once their sweeps
    /// have ended. Sweeps go on in turn, `turnPageCount` pages each. While one lasts, the other
    /// apps are checked at the usual interval.
    public func check() async {
        var places = watched.flatMap { served, lease in
            clients.map { Place(served: served, lease: lease, client: $0) }
        }
        var next = clock.now
        repeat {
            let isDue = clock.now >= next
            if isDue {
                next = clock.now.advanced(byMilliseconds: RecoveryWatch.intervalMilliseconds)
            }
            for index in places.indices where isDue || places[index].sweep != nil {
                guard !Task.isCancelled else { return }
                places[index].sweep = await turn(places[index])
            }
        } while places.contains(where: { $0.sweep != nil })
    }

    /// Checks an app, or goes on with its sweep. Returns the sweep that its next turn does.
    private func turn(_ place: Place) async -> DueSweep? {
        let (served, client) = (place.served, place.client)
        guard (try? await place.lease.take(if: served.isCurrent)) == true else { return nil }
        do throws(RecoveryFailure) {
            var due = place.sweep
            if due == nil { due = try await dueSweep(served, client) }
            guard var sweep = due else { return nil }
            guard let report = try await recover(sweep, served, client) else {
                sweep.isContinued = true
                return sweep
            }
            let isResumed = end(sweep, report, served, client)
            return isResumed ? try await dueSweep(served, client) : nil
        } catch {
            // It is retried.
            if !Task.isCancelled {
                note("recoveryFailed", served, client, "not recovered: \(error)")
            }
            return nil
        }
    }

    /// The sweep of an app that is due now.
    private func dueSweep(
        _ served: ServedLedger, _ client: AppStoreServerAPIClient
    ) async throws(RecoveryFailure) -> DueSweep? {
        let (ledger, now) = (served.ledger, clock.now)
        guard let first = try await beginning(served) else { return nil }
        let name = UncertainSweeps.Name(
            environment: served.environment, bundleId: client.bundleId)
        let swept = uncertain.window(name, at: now)
        let suggestions = try await OutageWatch(ledger: ledger, client: client) { clock.now }
            .suggestions(excluding: swept)
        let certain = ledger.completeness.swept(client.bundleId)?.through
        let through = [certain, swept?.through].compactMap { $0 }.max()
        let again = uncertain.due(name, at: now)
        let isOld = through.map {
            now.milliseconds(since: $0)
                > RecoveryWatch.sweepMilliseconds - RecoveryWatch.intervalMilliseconds
        }
        let isDue = again != nil || isOld ?? true
        host.outages.note(served.environment, client.bundleId, suggestions, at: now)
        guard !suggestions.isEmpty || isDue else { return nil }
        for suggestion in suggestions {
            note(
                "outageSuspected", served, client,
                "notifications may be missing, \(RecoveryText.suggestion(suggestion))")
        }
        let next = through?.advanced(byMilliseconds: -RecoveryWatch.overlapMilliseconds)
        let from = min(
            next ?? first, OutageDetection.hull(suggestions)?.from ?? now, again ?? now)
        let to = now.advanced(byMilliseconds: -RecoveryRun.settleMilliseconds)
        guard from < to else { return nil }
        var request = RecoveryRequest(
            bundleId: client.bundleId, environment: served.environment, from: from, to: to)
        // The next check resumes a sweep that failed.
        request.endsNow = true
        return DueSweep(
            request: request, suggestions: suggestions, certain: certain, checkedAt: now)
    }

    /// Notes the result of a sweep. Returns true if it resumed an earlier sweep: a further one must
    /// then fetch what was sent since that sweep began.
    private func end(
        _ sweep: DueSweep, _ done: RecoveryReport, _ served: ServedLedger,
        _ client: AppStoreServerAPIClient
    ) -> Bool {
        if done.newCount > 0 || done.isFlawed {
            let refused = done.refusedCount > 0 ? "\(done.refusedCount)" : "some"
            note(
                "recovered", served, client,
                done.newCount.named("missing notification was", "missing notifications were")
                    + " recovered; "
                    + (done.chains.count + done.chainsOmitted).named("chain", "chains")
                    + " changed state"
                    + (done.isFlawed ? "; \(refused) could not be taken in (see quarantine)" : ""))
        }
        guard let start = done.from, let end = done.to else { return false }
        let window = CompleteWindow(from: start, through: end)
        host.outages.note(
            served.environment, client.bundleId, OutageDetection.open(sweep.suggestions, [window]),
            at: sweep.checkedAt)
        // What follows the last version 1 notification is certain; the rest never will be.
        let isSettled = done.reservation == .versionOne && done.complete != nil
        let name = UncertainSweeps.Name(
            environment: served.environment, bundleId: client.bundleId)
        uncertain.note(
            name, window, isSettled ? nil : done.reservation, at: sweep.checkedAt,
            endedAt: clock.now)
        // `from < start`: Apple cut the window. Else an uncertain sweep fetched what lies before.
        if done.reservation == nil, let certain = sweep.certain, certain < start,
            sweep.request.from < start
        {
            note(
                "recoveryOutOfReach", served, client,
                "notifications sent from \(certain.rfc3339) to \(start.rfc3339) are older than"
                    + " Apple's history and were never swept; completeFrom is now the latter time;"
                    + " `subledger backfill` fetches what Apple still has of each customer")
        }
        return end < sweep.request.to
    }

    private func note(
        _ code: String, _ served: ServedLedger, _ client: AppStoreServerAPIClient, _ text: String
    ) {
        report(
            ServingNote(.warning, code, in: served.environment, "\(client.bundleId): \(text)"))
    }

    /// Sweeps for one turn; nil when the turn ended before the sweep.
    private func recover(
        _ sweep: DueSweep, _ served: ServedLedger, _ client: AppStoreServerAPIClient
    ) async throws(RecoveryFailure) -> RecoveryReport? {
        var recovery = Recovery(
            sweep.request, ledger: served.ledger, client: client, apps: host.configuration.apps,
            verifier: host.verifier, revocation: host.revocation
        ) { clock.now }
        (recovery.pageLimit, recovery.isContinued) = (turnPageCount, sweep.isContinued)
        do throws(RecoveryFailure) {
            return try await RecoveryRun(recovery, reporting: .log) {
                () async throws(StoreError) in try await served.laterSnapshot()
            }.run()
        } catch {
            guard case .turnEnded = error else { throw error }
            return nil
        }
    }

    /// The earliest time in the ledger, once derived data has caught up: only then is the certain
    /// window known. Nil for an empty ledger, which has missed nothing.
    private func beginning(_ served: ServedLedger) async throws(RecoveryFailure) -> Timestamp? {
        do throws(StoreError) {
            guard let first = try await served.ledger.log.events(after: 0, limit: 1).first else {
                return nil
            }
            _ = try await served.laterSnapshot()
            return min(first.receivedAt, first.attributes.signedAt ?? first.receivedAt)
        } catch { throw .store(error) }
    }
}
