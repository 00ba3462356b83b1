import AppStore
public import AppStoreAPI
public import LedgerStore
public import Projection

/// Fetches the histories of given customers: the statuses, transactions and refunds of each,
/// verified and appended. Resumes an interrupted run, also within a history; a failure of one id
/// does not stop the others.
public struct Backfill: Sendable {
    private let client: AppStoreServerAPIClient
    private let ledgers: EnvironmentLedgers
    /// Keeps the progress of lists.
    private let ledger: EnvironmentLedger
    private let choice: EnvironmentChoice
    private let includesRefunds: Bool

    /// Refund histories take five times as long; transaction histories also contain refunds. The
    /// progress is kept in `ledger`.
    public init(
        _ client: AppStoreServerAPIClient, ledgers: EnvironmentLedgers,
        keptIn ledger: EnvironmentLedger, in choice: EnvironmentChoice,
        includesRefunds: Bool = true
    ) {
        self.client = client
        self.ledgers = ledgers
        self.ledger = ledger
        self.choice = choice
        self.includesRefunds = includesRefunds
    }

    // MARK: Running

    /// Processes a list from where the last run stopped, or from its start. `begin` is called
    /// before the first request, `report` with a line of progress after each id.
    ///
    /// Throws when the progress cannot be read; later failures are in the report.
    public func run(
        _ list: IdList, restarts: Bool = false,
        begin: @Sendable (BackfillEstimate) -> Void = { _ in },
        report: @Sendable (String) -> Void = { _ in }
    ) async throws(StoreError) -> BackfillReport {
        let key = list.digest(client.bundleId, in: choice, includesRefunds: includesRefunds)
        let before = try await kept(key, restarts: restarts)
        let run = before?.run ?? BackfillRun(startedAt: ledgers.clock())
        let estimate = BackfillEstimate(
            ids: list.ids.count - run.settled, includesRefunds: includesRefunds,
            environment: choice.environment)
        var progress = BackfillProgress(list: list, key: key, run: run, ledger: ledger)
        progress.troubleCount = before?.troubles.count ?? 0
        begin(estimate)
        await walk(&progress, report)
        if progress.stop == nil { try await askAgain(&progress, report) }
        return try await close(progress, resumedAt: run.settled, estimate)
    }

    /// The progress so far; nil for a list that starts. What was fetched into another log (before
    /// a backup was restored) may be missing from this one.
    private func kept(
        _ key: Digest, restarts: Bool
    ) async throws(StoreError) -> (run: BackfillRun, troubles: [BackfillRun.Trouble])? {
        guard let kept = try await ledger.operations.backfill(key) else { return nil }
        if !restarts, try await Projector.isOfThisLog(ledger, kept.run.log) { return kept }
        try await ledger.operations.forgetBackfill(key)
        return nil
    }

    /// Requests several ids concurrently; settles them in the order of the list.
    private func walk(
        _ progress: inout BackfillProgress, _ report: @Sendable (String) -> Void
    ) async {
        let ids = progress.list.ids
        progress = await withTaskGroup(of: (Int, BackfillOutcome).self) {
            [progress] group -> BackfillProgress in
            var progress = progress
            var ready: [Int: BackfillOutcome] = [:]
            var next = progress.run.settled
            while true {
                while next < ids.count, progress.stop == nil,
                    next - progress.place < BackfillLimits.concurrency
                {
                    let (place, id) = (next, ids[next])
                    group.addTask { (place, await fetch(id)) }
                    next += 1
                }
                guard let (place, outcome) = await group.next() else {
                    if let stop = progress.stop {
                        // Ids in flight when the run stopped.
                        await progress.end(stop, ready.values.map(\.tally), at: ledgers.clock())
                    }
                    return progress
                }
                ready[place] = outcome
                while progress.stop == nil, let outcome = ready.removeValue(forKey: progress.place)
                {
                    await progress.take(outcome, at: ledgers.clock())
                    report(progress.text)
                }
                if progress.stop != nil { group.cancelAll() }
            }
        }
    }

    /// Retries ids with transient failures once.
    private func askAgain(
        _ progress: inout BackfillProgress, _ report: @Sendable (String) -> Void
    ) async throws(StoreError) {
        let troubles = try await ledger.operations.backfill(progress.key)?.troubles ?? []
        for trouble in troubles {
            guard progress.stop == nil else { return }
            guard trouble.mayPass else { continue }
            await progress.retake(trouble, await fetch(trouble.id), at: ledgers.clock())
            report(progress.text)
        }
    }

    private func close(
        _ progress: BackfillProgress, resumedAt: Int, _ estimate: BackfillEstimate
    ) async throws(StoreError) -> BackfillReport {
        var report = BackfillReport(run: progress.run, estimate: estimate)
        report.ids = progress.list.ids.count
        report.resumedAt = resumedAt
        report.stop = progress.stop
        report.troubles = try await ledger.operations.backfill(progress.key)?.troubles ?? []
        for ledger in ledgers.all {
            report.positions.append(
                BackfillReport.Position(
                    environment: ledger.environment,
                    position: try await ledger.log.head().position))
        }
        // The next run retries what may pass, and nothing else; the one after it starts anew.
        let isRetried = resumedAt < report.ids && report.troubles.contains(where: \.mayPass)
        if report.left == 0, report.stop == nil, !isRetried {
            try await ledger.operations.forgetBackfill(progress.key)
        }
        return report
    }

    // MARK: One id

    private func fetch(_ id: String) async -> BackfillOutcome {
        var requests = CustomerRequests(client, ledgers: ledgers, id: id, in: choice)
        do throws(AppleRequestFailure) {
            try await requests.purchases()
            if includesRefunds {
                // What was answered before is known.
                do throws(AppleRequestFailure) { try await requests.refunds() } catch {
                    guard error.isUnknownId else { throw error }
                }
            }
        } catch { return BackfillOutcome(tally: requests.tally, failure: error) }
        return BackfillOutcome(tally: requests.tally, failure: nil)
    }
}

extension BackfillRun.Trouble {
    /// Whether the same request may succeed later.
    fileprivate var mayPass: Bool {
        code.flatMap { APIFailure.Code(rawValue: $0) }?.mayPass ?? false
    }
}
