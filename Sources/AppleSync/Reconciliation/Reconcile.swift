public import AppStore
public import AppStoreAPI
import Ledger
public import LedgerStore
public import Projection
internal import SQLiteStore

/// Turns notices into requests to Apple: notification history, statuses, transaction and refund
/// history of the chain, until the notices are explained. The most valuable chains come first.
public struct Reconcile: Sendable {
    /// The projections, once they include at least this position.
    public typealias Projected = @Sendable (Int64) async throws(StoreError) -> LedgerSnapshot

    let clients: [BundleId: AppStoreServerAPIClient]
    let ledgers: EnvironmentLedgers
    let ledger: EnvironmentLedger
    let projected: Projected

    /// Reconciles the notices of `ledger` for the apps that have a client; `projected` returns its
    /// projections.
    public init(
        _ clients: [BundleId: AppStoreServerAPIClient], ledgers: EnvironmentLedgers,
        ledger: EnvironmentLedger, projected: @escaping Projected
    ) {
        self.clients = clients
        self.ledgers = ledgers
        self.ledger = ledger
        self.projected = projected
    }

    // MARK: Running

    /// Reconciles chains until none are left, the budget is spent, or Apple cannot be reached.
    /// Where Apple refuses an app or its key, or limits its requests of a kind, the other chains of
    /// the app are left for this run. `report` is called after each chain.
    ///
    /// Throws when notices cannot be read; a later failure is in the run's report.
    public func run(
        _ scope: ReconcileScope = .gaps, budget: ReconcileBudget = ReconcileBudget(),
        report emit: @Sendable (ReconcileReport) -> Void = { _ in }
    ) async throws(StoreError) -> ReconcileReport {
        let now = ledgers.clock()
        let start = try await ledger.log.head().position
        var report = ReconcileReport(environment: ledger.environment)
        let lookups = try await ledger.operations.lookups()
        let all = try await work(scope, now)
        try await forget(lookups, but: all, scope)
        let reachable = all.filter { clients[$0.chain.bundleId] != nil }
        report.chains = all.count
        report.withoutKey = all.count - reachable.count
        let due = reachable.filter { work in
            guard !budget.resting.contains(work.chain.bundleId) else { return false }
            // A later time is of a clock that was ahead.
            guard budget.keepsPauses, let last = lookups[work.chain], last.notices == work.codes,
                last.requestedAt <= now
            else { return true }
            return now.milliseconds(since: last.requestedAt)
                >= ReconcileLimits.pause(after: last.times)
        }
        report.paused = reachable.count - due.count
        let run = Run(
            work: ReconcileWork.ordered(due, at: now), scope: scope, budget: budget, now: now,
            start: start, lookups: lookups)
        report = await walk(run, report, emit)
        report.position = try await ledger.log.head().position
        return report
    }

    private struct Run {
        let work: [ReconcileWork]
        let scope: ReconcileScope
        let budget: ReconcileBudget
        /// When the run started; selects and orders the work.
        let now: Timestamp
        /// The end of the log when the run started.
        let start: Int64
        /// Results of previous runs.
        let lookups: [ChainId: ChainLookup]
    }

    private func work(
        _ scope: ReconcileScope, _ now: Timestamp
    ) async throws(StoreError) -> [ReconcileWork] {
        let projections = try await projected(try await ledger.log.head().position).projections
        var notices: [OpenNotice] = []
        var cursor: Int64 = 0
        while let page = try await projections.openNotices(scope.codes, at: now, after: cursor) {
            notices += page.notices
            cursor = page.next
        }
        if scope.codes.contains(.contradiction) {
            notices += try await projections.sharedNotices(at: now)
        }
        // Apple knows nothing of the random ids of erasures.
        return ReconcileWork.grouped(notices.filter { !$0.chain.isPseudonym })
    }

    /// Forgets look-ups of chains whose notices were closed by other evidence: a later notice
    /// starts with no pause.
    private func forget(
        _ lookups: [ChainId: ChainLookup], but open: [ReconcileWork], _ scope: ReconcileScope
    ) async throws(StoreError) {
        let open = Set(open.map(\.chain))
        let codes = Set(scope.codes.map(\.rawValue))
        for (chain, lookup) in lookups
        where !open.contains(chain) && codes.isSuperset(of: lookup.notices) {
            try await ledger.operations.keep(nil, of: chain)
        }
    }

    // MARK: Walking

    private func walk(
        _ run: Run, _ start: ReconcileReport, _ emit: @Sendable (ReconcileReport) -> Void
    ) async -> ReconcileReport {
        let count = min(run.work.count, run.budget.chains ?? run.work.count)
        return await withTaskGroup(of: (Int, ChainReconciliation).self) { group in
            var report = start
            var ready: [Int: ChainReconciliation] = [:]
            var (begun, streak) = (0, 0)
            var spent: Int64 = 0
            var waiting = run.work[...]
            // Apps that Apple refuses or limits: only their own chains are left.
            var unusable: Set<BundleId> = []
            while true {
                waiting = waiting.drop { unusable.contains($0.chain.bundleId) }
                while begun < count, report.stop == nil, spent < run.budget.requests ?? .max,
                    begun - report.results.count < ReconcileLimits.concurrency,
                    let next = waiting.popFirst()
                {
                    let place = begun
                    group.addTask { (place, await lookUp(next, run.scope)) }
                    begun += 1
                    waiting = waiting.drop { unusable.contains($0.chain.bundleId) }
                }
                guard let (place, result) = await group.next() else {
                    report.stop =
                        report.stop ?? (report.limits + report.refusals).first?.failure
                    return report
                }
                spent += result.requests
                ready[place] = result
                while let next = ready.removeValue(forKey: report.results.count) {
                    await keep(next, run, &report)
                    let isOfApp = next.failure?.concernsApp ?? false
                    streak = next.failure?.mayPass ?? false && !isOfApp ? streak + 1 : 0
                    if isOfApp {
                        unusable.insert(next.chain.bundleId)
                    } else if let failure = next.failure,
                        failure.concernsAllCustomers || streak >= ReconcileLimits.failureStreak
                    {
                        report.stop = report.stop ?? failure
                        group.cancelAll()
                    }
                    emit(report)
                }
            }
        }
    }

    /// Records notices that are still open, so that the service pauses the chain. After a failure
    /// that may pass, the pause has its first length again; there is none where nothing was
    /// answered.
    private func keep(
        _ result: ChainReconciliation, _ run: Run, _ report: inout ReconcileReport
    ) async {
        report.results.append(result)
        do throws(StoreError) {
            // A notice outside the scope, found by the reconciliation, is no reason to repeat it.
            let codes = Set(run.scope.codes.map(\.rawValue))
            let open = result.after.filter { codes.contains($0) }
            guard !open.isEmpty else {
                return try await ledger.operations.keep(nil, of: result.chain)
            }
            // What would fail for any other chain too says nothing about this one.
            if let failure = result.failure,
                failure.concernsAllCustomers || failure.isOfConnection && result.requests == 0
            {
                return
            }
            var times = 1
            if let last = run.lookups[result.chain], last.notices == open,
                result.failure?.mayPass != true
            {
                times = last.times + 1
            }
            try await ledger.operations.keep(
                ChainLookup(requestedAt: run.now, times: times, notices: open),
                of: result.chain)
            // A chain that was erased during the run leaves no row; a later erasure removes it.
            let erased = try await ledger.log.erasedChains(after: run.start)
            if erased[ErasedChain(result.chain)] != nil {
                try await ledger.operations.keep(nil, of: result.chain)
            }
        } catch { report.stop = report.stop ?? .store(error) }
    }
}
