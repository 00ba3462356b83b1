import AppStore
public import Ledger
internal import LedgerStore
internal import Projection
public import Queries
internal import SQLiteStore
import Synchronization

/// The erasure of a person's data, over HTTP and in the console (`Erasure.md`).
extension LedgerHost {
    /// Erasures of an environment that wait for one being carried out, which may take minutes: a
    /// client that gave up may repeat its order.
    static let waitingErasureCount = 16

    /// What would be erased; nothing is changed.
    ///
    /// - Parameters:
    ///   - ids: any id of each chain, as in `show`; also of chains that another customer holds.
    ///   - customer: with every chain that names it, of every app.
    ///   - scope: where the ids are looked up: environment and app.
    ///
    /// Throws `ErasureError`, `QueryError`, `StoreError` or `ServingError`; `MissingAnswer` for an
    /// unknown id.
    public func erasurePlan(
        chains ids: [String], customer: CustomerId?, _ scope: QueryScope
    ) async throws -> ErasurePlan {
        let served = try ledger(scope.environment)
        try requireClock()
        let erasure = erasure(in: served)
        // It reads every event, as a report does.
        return try await served.reports.pass {
            let named = try await chains(ids, scope, served, erasure, nil).found
            return try await erasure.plan(chains: named, customer: customer)
        }
    }

    /// Erases chains and a customer; durable when it returns. Answers follow once the projector has
    /// built the derived files anew. Repeating the order under the same key, or for chains that
    /// were erased before, finishes what was left and returns the same position.
    ///
    /// Erasures of a ledger are serialized. Commands do not wait for them. Parameters as for
    /// `erasurePlan`.
    ///
    /// Throws as `erasurePlan`, `CommandError` for an invalid order, and `queueFull` beyond
    /// `waitingErasureCount`.
    public func erase(
        chains ids: [String], customer: CustomerId?, _ order: CommandIntake.Order,
        _ scope: QueryScope
    ) async throws -> PersonErasure.Receipt {
        let served = try ledger(scope.environment)
        try requireClock()
        try CommandCheck.check(order)
        let erasure = erasure(in: served)
        guard served.erasures.waitingCount < LedgerHost.waitingErasureCount else {
            throw StoreError(
                .queueFull, reason: "Too many erasures are waiting.",
                remedy: "Try again later; nothing was erased.")
        }
        let receipt = try await served.erasures.pass {
            let (named, unknown) = try await chains(ids, scope, served, erasure, order)
            // Where the rest fails, the log may have erased already.
            defer {
                served.forgetPersons()
                served.erasedFilesDue.withLock { $0 = .now }
                served.wake.raise()
            }
            do {
                return try await erasure.run(
                    chains: named, customer: customer, order, unknown: unknown)
            } catch let error as StoreError {
                note("erase, failed with \(error.code.rawValue),", order, served.environment)
                throw error
            }
        }
        served.board.reached(head: receipt.position)
        if receipt.plan != nil { served.note(append: nil) }
        // A repetition may have finished what was left.
        note(receipt.plan == nil ? "erase, repeated," : "erase", order, served.environment)
        return receipt
    }

    private func erasure(in served: ServedLedger) -> PersonErasure {
        PersonErasure(ledger: served.ledger, clock: clock) { [makeId] count in
            (0..<count).map { _ in makeId().filter { $0 != "-" } }
        } caughtUp: {
            try await served.wholeSnapshot().projections
        }
    }

    /// As `PersonErasure.chains`, in the state at the end of the log.
    private func chains(
        _ ids: [String], _ scope: QueryScope, _ served: ServedLedger, _ erasure: PersonErasure,
        _ order: CommandIntake.Order?
    ) async throws -> (found: [ChainId], unknown: [String]) {
        guard !ids.isEmpty else { return ([], []) }
        let snapshot = try await served.wholeSnapshot()
        do {
            return try await erasure.chains(
                named: ids, by: snapshot, bundleId: scope.bundleId, order)
        } catch let error as QueryError {
            guard case .noSuchSubscription = error else { throw error }
            throw MissingAnswer(
                error: error, position: snapshot.position,
                lag: served.lag(after: snapshot.position))
        }
    }

    // MARK: JSON

    /// `erase` as JSON, or `erasurePlan` for a dry run.
    public func eraseAnswer(
        _ body: ErasureBody, _ order: CommandIntake.Order, _ scope: QueryScope
    ) async throws -> RepeatableAnswer {
        let served = try ledger(scope.environment)
        if body.isDryRun {
            try CommandCheck.check(order)
            let plan = try await erasurePlan(
                chains: body.chains, customer: body.customer, scope)
            let answer = served.erasureAnswer { json in
                json.object("plan") { json in plan.writeMembers(to: &json) }
            }
            return RepeatableAnswer(answer: answer, isRepeated: false)
        }
        let receipt = try await erase(
            chains: body.chains, customer: body.customer, order, scope)
        let answer = served.erasureAnswer { json in
            json.object("erasure") { json in receipt.writeMembers(to: &json) }
        }
        return RepeatableAnswer(answer: answer, isRepeated: receipt.plan == nil)
    }
}

extension ServedLedger {
    /// The state at the end of the log, since an erasure must know every event. Waits `waitLimit`
    /// for it.
    ///
    /// Throws `projectionBehind`, or `StoreError`.
    func wholeSnapshot() async throws -> LedgerSnapshot {
        let head = try await ledger.log.head().position
        board.reached(head: head)
        let snapshot = try await snapshot(atLeast: head)
        // The facts may have been replaced since.
        let reached = try await ledger.facts.checkpoint().position
        guard reached >= head else { throw ServingError.projectionBehind(position: reached) }
        return snapshot
    }

    /// An answer about an erasure: its members, and the end of the log as `position`.
    fileprivate func erasureAnswer(_ write: (inout JSONWriter) -> Void) -> ServedAnswer {
        let end = head
        return answer(at: projectedPosition ?? 0) { json in
            write(&json)
            if json.isStamped { json.member("position", end) }
        }
    }
}
