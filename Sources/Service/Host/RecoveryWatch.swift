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

    /// Checks every app once, in every environment that Apple answers for.
    public func check() async {
        for (served, lease) in watched {
            guard (try? await lease.take(if: served.isCurrent)) == true else { continue }
            for client in clients where !Task.isCancelled {
                do throws(RecoveryFailure) {
                    if try await check(served, client) { _ = try await check(served, client) }
                } catch {
                    guard !Task.isCancelled else { return }
                    // It is retried.
                    note("recoveryFailed", served, client, "not recovered: \(error)")
                }
            }
        }
    }

    /// Checks one app. Returns true if it resumed an earlier sweep: a further check must then sweep
    /// what was sent since that sweep began.
    private func check(
        _ served: ServedLedger, _ client: AppStoreServerAPIClient
    ) async throws(RecoveryFailure) -> Bool {
        let (ledger, now) = (served.ledger, clock.now)
        guard let first = try await beginning(served) else { return false }
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
        guard !suggestions.isEmpty || isDue else { return false }
        for suggestion in suggestions {
            note(
                "outageSuspected", served, client,
                "notifications may be missing, \(RecoveryText.suggestion(suggestion))")
        }
        let next = through?.advanced(byMilliseconds: -RecoveryWatch.overlapMilliseconds)
        let from = min(
            next ?? first, OutageDetection.hull(suggestions)?.from ?? now, again ?? now)
        let to = now.advanced(byMilliseconds: -RecoveryRun.settleMilliseconds)
        guard from < to else { return false }
        var request = RecoveryRequest(
            bundleId: client.bundleId, environment: served.environment, from: from, to: to)
        // The next check resumes a sweep that failed.
        request.endsNow = true
        let done = try await recover(request, served, client)
        if done.newCount > 0 || done.refusedCount > 0 {
            note(
                "recovered", served, client,
                "\(done.newCount) missing notifications were recovered;"
                    + " \(done.chains.count + done.chainsOmitted) chains changed state"
                    + (done.refusedCount > 0
                        ? "; \(done.refusedCount) could not be taken in (see quarantine)" : ""))
        }
        guard let start = done.from, let end = done.to else { return false }
        let window = CompleteWindow(from: start, through: end)
        host.outages.note(
            served.environment, client.bundleId, OutageDetection.open(suggestions, [window]),
            at: now)
        // What follows the last version 1 notification is certain; the rest never will be.
        let isSettled = done.reservation == .versionOne && done.complete != nil
        uncertain.note(name, window, isSettled ? nil : done.reservation, at: now)
        // `from < start`: Apple cut the window. Else an uncertain sweep fetched what lies before.
        if done.reservation == nil, let certain, certain < start, from < start {
            note(
                "recoveryOutOfReach", served, client,
                "notifications sent from \(certain.rfc3339) to \(start.rfc3339) are older than"
                    + " Apple's history and were never swept; completeFrom is now the latter time;"
                    + " `subledger backfill` fetches what Apple still has of each customer")
        }
        return end < to
    }

    private func note(
        _ code: String, _ served: ServedLedger, _ client: AppStoreServerAPIClient, _ text: String
    ) {
        report(
            ServingNote(.warning, code, in: served.environment, "\(client.bundleId): \(text)"))
    }

    private func recover(
        _ request: RecoveryRequest, _ served: ServedLedger, _ client: AppStoreServerAPIClient
    ) async throws(RecoveryFailure) -> RecoveryReport {
        let recovery = Recovery(
            request, ledger: served.ledger, client: client, apps: host.configuration.apps,
            verifier: host.verifier, revocation: host.revocation
        ) { clock.now }
        return try await RecoveryRun(recovery, reporting: .log) { () async throws(StoreError) in
            try await served.laterSnapshot()
        }.run()
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
