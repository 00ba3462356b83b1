import AppStore
public import AppStoreAPI
public import AppleSync
public import Intake
import Ledger
internal import LedgerStore
internal import Projection
public import Queries
internal import SQLiteStore
public import Signing

/// Looks for outages while the service runs, and recovers from them by itself; and sweeps what
/// Apple sent every hour, so that answers can say up to when everything is here.
public struct RecoveryWatch: Sendable {
    let host: LedgerHost
    let clients: [AppStoreServerAPIClient]
    let apps: [Configuration.App]
    let verifier: EvidenceVerifier
    let clock: any ServiceClock
    let report: @Sendable (RecoveryNote) -> Void
    private let uncertain = UncertainSweeps()

    /// How often it looks.
    public static let intervalMilliseconds: Int64 = 10 * 60_000
    /// The first look after a start: what was missed while nobody listened should not wait.
    public static let firstMilliseconds: Int64 = 15_000
    /// What is certain grows no older, looks being as often as they are: everything since is swept
    /// before it does. No longer than what makes a silence, so that an app whose nights are quiet
    /// is swept at night, but never suspected of an outage.
    public static let sweepMilliseconds = OutageDetection.shortestSilenceMilliseconds
    /// Sweeps begin so long before the end of what is certain.
    static let overlapMilliseconds: Int64 = 3_600_000

    /// - Parameters:
    ///   - host: whose ledgers of Production and Sandbox are looked after.
    ///   - clients: one for each app with an API key.
    ///   - apps: whose evidence is accepted.
    ///   - verifier: says what is believed.
    public init(
        host: LedgerHost, clients: [AppStoreServerAPIClient], apps: [Configuration.App],
        verifier: EvidenceVerifier, clock: any ServiceClock,
        report: @escaping @Sendable (RecoveryNote) -> Void
    ) {
        self.host = host
        self.clients = clients
        self.apps = apps
        self.verifier = verifier
        self.clock = clock
        self.report = report
    }

    /// Runs until the task is cancelled; what a recovery had brought by then stays.
    public func run() async {
        do throws(CancellationError) {
            try await clock.sleep(milliseconds: RecoveryWatch.firstMilliseconds)
            while !Task.isCancelled {
                await look()
                try await clock.sleep(milliseconds: RecoveryWatch.intervalMilliseconds)
            }
        } catch {
            return
        }
    }

    /// Looks once at every app in every environment that Apple answers for.
    public func look() async {
        for served in host.ledgers
        where served.environment == .production || served.environment == .sandbox {
            for client in clients where !Task.isCancelled {
                do throws(RecoveryFailure) {
                    try await look(served, client)
                } catch {
                    guard !Task.isCancelled else { return }
                    report(.failed(served.environment, client.bundleId, error))
                }
            }
        }
    }

    private func look(
        _ served: ServedLedger, _ client: AppStoreServerAPIClient
    ) async throws(RecoveryFailure) {
        let (ledger, now) = (served.ledger, clock.now)
        // Nothing was ever missed by a ledger that never held anything.
        guard let first = try await beginning(ledger) else { return }
        // What is certain is known only when what is derived has caught up.
        try await caughtUp(served)
        let name = UncertainSweeps.Name(
            environment: served.environment, bundleId: client.bundleId)
        let swept = uncertain.window(name, at: now)
        let suggestions = try await OutageWatch(ledger: ledger, client: client) { clock.now }
            .suggestions(besides: swept)
        let certain = ledger.completeness.state(of: client.bundleId)?.through
        let through = [certain, swept?.through].compactMap { $0 }.max()
        let isDue = through.map {
            now.milliseconds(since: $0)
                > RecoveryWatch.sweepMilliseconds - RecoveryWatch.intervalMilliseconds
        }
        guard !suggestions.isEmpty || isDue ?? true else { return }
        for suggestion in suggestions {
            report(.suspected(served.environment, client.bundleId, suggestion))
        }
        let next = through?.advanced(byMilliseconds: -RecoveryWatch.overlapMilliseconds)
        let from = min(next ?? first, OutageDetection.hull(suggestions)?.from ?? now)
        let to = now.advanced(byMilliseconds: -RecoveryRun.settleMilliseconds)
        guard from < to else { return }
        let done = try await recover(
            RecoveryRequest(
                bundleId: client.bundleId, environment: served.environment, from: from, to: to),
            served, client)
        if done.newCount > 0 || done.refusedCount > 0 {
            report(.recovered(served.environment, client.bundleId, done))
        }
        let window = OutageDetection.Swept(from: done.from, through: done.to)
        uncertain.note(name, window, done.reservation, at: now)
        if done.reservation == nil, let certain, certain < done.from {
            report(.outOfReach(served.environment, client.bundleId, from: certain, to: done.from))
        }
    }

    private func recover(
        _ request: RecoveryRequest, _ served: ServedLedger, _ client: AppStoreServerAPIClient
    ) async throws(RecoveryFailure) -> RecoveryReport {
        let recovery = Recovery(
            request, ledger: served.ledger, client: client, apps: apps, verifier: verifier
        ) { clock.now }
        return try await RecoveryRun(recovery, telling: .log) { () async throws(StoreError) in
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

    /// When what the ledger holds begins; nil for an empty one.
    private func beginning(_ ledger: EnvironmentLedger) async throws(RecoveryFailure) -> Timestamp?
    {
        do throws(StoreError) {
            let first = try await ledger.log.events(after: 0, limit: 1).first
            return first.map { min($0.receivedAt, $0.attributes.signedAt ?? $0.receivedAt) }
        } catch { throw .store(error) }
    }
}
