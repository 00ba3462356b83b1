public import AppStore
public import AppStoreAPI
internal import AppleSync
internal import Ledger
internal import LedgerStore
internal import Projection
public import Queries

/// Reconciles chains while the service runs, a few in each round, in every served environment that
/// Apple answers for.
public struct ReconcileLoop: Sendable {
    private let host: LedgerHost
    private let clients: [BundleId: AppStoreServerAPIClient]
    private let ledgers: EnvironmentLedgers
    private let clock: any ServiceClock
    private let report: @Sendable (ServingNote) -> Void

    /// - `host`: owns the ledgers; it must keep running.
    /// - `clients`: of the apps that have a key.
    /// - `report`: called for every round that sent requests or failed.
    public init(
        _ host: LedgerHost, clients: [BundleId: AppStoreServerAPIClient],
        clock: any ServiceClock, report: @escaping @Sendable (ServingNote) -> Void
    ) {
        self.host = host
        self.clients = clients
        self.clock = clock
        self.report = report
        ledgers = host.answerLedgers()
    }

    /// Returns when the task is cancelled and the running request has ended.
    public func run() async {
        var restUntil: [Environment: [BundleId: Timestamp]] = [:]
        let reconciled = host.usualLedgers(for: .reconcile)
        defer { for (_, lease) in reconciled { lease.release() } }
        var wait = ReconcileLimits.firstRoundMilliseconds
        while !clients.isEmpty {
            do throws(CancellationError) { try await clock.sleep(milliseconds: wait) } catch {
                return
            }
            wait = ReconcileLimits.roundMilliseconds
            for (served, lease) in reconciled {
                guard !Task.isCancelled else { return }
                guard (try? await lease.take(if: served.isCurrent)) == true else { continue }
                let now = clock.now
                let resting = restUntil[served.environment, default: [:]].filter { now < $0.value }
                let refused = await TraceContext.$current.withValue(TraceContext()) {
                    await round(served, resting: Set(resting.keys))
                }
                let until = clock.now.advanced(
                    byMilliseconds: ReconcileLimits.refusedAppMilliseconds)
                for app in refused { restUntil[served.environment, default: [:]][app] = until }
            }
        }
    }

    /// One round in one environment, without the chains of resting apps. Returns the apps for which
    /// Apple refused the app or its key.
    private func round(_ served: ServedLedger, resting: Set<BundleId>) async -> [BundleId] {
        func noteFailure(_ code: String, _ message: String) {
            report(ServingNote(.warning, code, in: served.environment, "reconcile: \(message)"))
        }
        let reconcile = Reconcile(
            clients, ledgers: ledgers, ledger: served.ledger
        ) { (position) async throws(StoreError) in
            try await served.laterSnapshot(atLeast: position)
        }
        var budget = ReconcileBudget.round
        budget.resting = resting
        do throws(StoreError) {
            let reported = try await reconcile.run(budget: budget)
            if !reported.results.isEmpty { report(.reconciled(reported)) }
            guard !Task.isCancelled else { return [] }
            if let stop = reported.stop, !stop.concernsApp {
                noteFailure(stop.code, stop.message)
            }
            for result in reported.limits + reported.refusals {
                guard let failure = result.failure else { continue }
                noteFailure(failure.code, "\(result.chain.bundleId): \(failure.message)")
            }
            return reported.refusals.map(\.chain.bundleId)
        } catch {
            if !Task.isCancelled { noteFailure(error.code.rawValue, error.description) }
            return []
        }
    }
}
