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
                    try await check(served, client)
                } catch {
                    guard !Task.isCancelled else { return }
                    report(.recoveryFailed(served.environment, client.bundleId, error))
                }
            }
        }
    }

    private func check(
        _ served: ServedLedger, _ client: AppStoreServerAPIClient
    ) async throws(RecoveryFailure) {
        let (ledger, now) = (served.ledger, clock.now)
        // An empty ledger has missed nothing.
        guard let first = try await beginning(ledger) else { return }
        // The certain window is known only when derived data has caught up.
        try await caughtUp(served)
        let name = UncertainSweeps.Name(
            environment: served.environment, bundleId: client.bundleId)
        let swept = uncertain.window(name, at: now)
        let suggestions = try await OutageWatch(ledger: ledger, client: client) { clock.now }
            .suggestions(excluding: swept)
        let certain = ledger.completeness.state(of: client.bundleId)?.window.through
        let through = [certain, swept?.through].compactMap { $0 }.max()
        let again = uncertain.due(name, at: now)
        let isOld = through.map {
            now.milliseconds(since: $0)
                > RecoveryWatch.sweepMilliseconds - RecoveryWatch.intervalMilliseconds
        }
        let isDue = again != nil || isOld ?? true
        host.outages.note(served.environment, client.bundleId, suggestions, at: now)
        guard !suggestions.isEmpty || isDue else { return }
        for suggestion in suggestions {
            report(.suspected(served.environment, client.bundleId, suggestion))
        }
        let next = through?.advanced(byMilliseconds: -RecoveryWatch.overlapMilliseconds)
        let from = min(
            next ?? first, OutageDetection.hull(suggestions)?.from ?? now, again ?? now)
        let to = now.advanced(byMilliseconds: -RecoveryRun.settleMilliseconds)
        guard from < to else { return }
        var request = RecoveryRequest(
            bundleId: client.bundleId, environment: served.environment, from: from, to: to)
        // The next check resumes a sweep that failed.
        request.endsNow = true
        let done = try await recover(request, served, client)
        if done.newCount > 0 || done.refusedCount > 0 {
            report(.recovered(served.environment, client.bundleId, done))
        }
        guard let start = done.from, let end = done.to else { return }
        let window = CompleteWindow(from: start, through: end)
        host.outages.note(
            served.environment, client.bundleId, OutageDetection.open(suggestions, [window]),
            at: now)
        uncertain.note(name, window, done.reservation, at: now)
        if done.reservation == nil, let certain, certain < start {
            report(.outOfReach(served.environment, client.bundleId, from: certain, to: start))
        }
    }

    private func recover(
        _ request: RecoveryRequest, _ served: ServedLedger, _ client: AppStoreServerAPIClient
    ) async throws(RecoveryFailure) -> RecoveryReport {
        let recovery = Recovery(
            request, ledger: served.ledger, client: client, apps: host.configuration.apps,
            verifier: host.verifier, revocation: host.revocation
        ) { clock.now }
        return try await RecoveryRun(recovery, reporting: .log) { () async throws(StoreError) in
            try await RecoveryWatch.snapshot(served)
        }.run()
    }

    private func caughtUp(_ served: ServedLedger) async throws(RecoveryFailure) {
        do throws(StoreError) { _ = try await RecoveryWatch.snapshot(served) } catch {
            throw .store(error)
        }
    }

    private static func snapshot(
        _ served: ServedLedger
    ) async throws(StoreError) -> LedgerSnapshot {
        try await served.laterSnapshot(atLeast: try await served.ledger.log.head().position)
    }

    /// The earliest time in the ledger; nil for an empty one.
    private func beginning(_ ledger: EnvironmentLedger) async throws(RecoveryFailure) -> Timestamp?
    {
        do throws(StoreError) {
            let first = try await ledger.log.events(after: 0, limit: 1).first
            return first.map { min($0.receivedAt, $0.attributes.signedAt ?? $0.receivedAt) }
        } catch { throw .store(error) }
    }
}

extension ServingNote {
    /// Events may be missing in a window; it is being fetched.
    fileprivate static func suspected(
        _ environment: Environment, _ app: BundleId, _ window: OutageDetection.Suggestion
    ) -> ServingNote {
        ServingNote(
            .warning, "outageSuspected", in: environment,
            "\(app): notifications may be missing, \(RecoveryText.suggestion(window))")
    }

    /// Events were missing, or could not be taken in.
    fileprivate static func recovered(
        _ environment: Environment, _ app: BundleId, _ report: RecoveryReport
    ) -> ServingNote {
        ServingNote(
            .warning, "recovered", in: environment,
            "\(app): \(report.newCount) missing notifications were recovered;"
                + " \(report.chains.count + report.chainsOmitted) chains changed state"
                + (report.refusedCount > 0
                    ? "; \(report.refusedCount) could not be taken in (see quarantine)" : ""))
    }

    /// Answers stay certain up to `from` only.
    fileprivate static func outOfReach(
        _ environment: Environment, _ app: BundleId, from: Timestamp, to: Timestamp
    ) -> ServingNote {
        ServingNote(
            .warning, "recoveryOutOfReach", in: environment,
            "\(app): notifications sent from \(from.rfc3339) to \(to.rfc3339) are older than"
                + " Apple's history and were never swept; completeFrom is now the latter time;"
                + " `subledger backfill` fetches what Apple still has of each customer")
    }

    /// Apple or the disk failed; it is retried.
    fileprivate static func recoveryFailed(
        _ environment: Environment, _ app: BundleId, _ failure: RecoveryFailure
    ) -> ServingNote {
        ServingNote(
            .warning, "recoveryFailed", in: environment, "\(app): not recovered: \(failure)")
    }
}
