public import AppStore
public import AppStoreAPI
internal import AppleSync
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
        var restUntil: [Environment: Timestamp] = [:]
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
                if let until = restUntil[served.environment], clock.now < until { continue }
                guard (try? await lease.take(if: served.isCurrent)) == true else { continue }
                let stop = await TraceContext.$current.withValue(TraceContext()) {
                    await round(served)
                }
                if stop == "unauthorized" {
                    restUntil[served.environment] = clock.now.advanced(
                        byMilliseconds: ReconcileLimits.refusedKeyMilliseconds)
                }
            }
        }
    }

    /// One round in one environment; returns the code of what ended it early, for every app.
    @discardableResult
    func round(_ served: ServedLedger) async -> String? {
        let reconcile = Reconcile(
            clients, ledgers: ledgers, ledger: served.ledger
        ) { (position) async throws(StoreError) in
            try await served.laterSnapshot(atLeast: position)
        }
        do throws(StoreError) {
            let reported = try await reconcile.run(budget: .round)
            if !reported.results.isEmpty { report(.reconciled(reported)) }
            guard let stop = reported.stop, !Task.isCancelled else { return reported.stop?.code }
            var (message, isPartial) = (stop.message, false)
            if stop.isRefusedKey {
                let refused = reported.results.filter { $0.failure?.isRefusedKey ?? false }
                let apps = Set(refused.map(\.chain.bundleId.rawValue)).sorted()
                message += " Apps: \(apps.joined(separator: ", "))."
                isPartial = refused.count < reported.results.count
            }
            report(.reconcileFailed(served.environment, code: stop.code, message: message))
            return isPartial ? nil : stop.code
        } catch {
            if !Task.isCancelled {
                report(
                    .reconcileFailed(
                        served.environment, code: error.code.rawValue,
                        message: error.description))
            }
            return error.code.rawValue
        }
    }
}
