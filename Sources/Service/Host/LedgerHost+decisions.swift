import AppStore
public import Ledger
internal import LedgerStore
internal import Projection
public import Queries

/// Commands of operators and back ends about customers, over HTTP.
extension LedgerHost {
    /// Appends a command about a customer; durable when it returns. The answer is
    /// `{"decision":{…},` and the members of `entitlements`, as of the command's own time and
    /// position; for a note about a chain, `subscription` with the chain in the format of `show`.
    /// Repeating the command under the same key therefore returns the same bytes, whatever happened
    /// since.
    ///
    /// Commands of one ledger are serialized, so that each is checked against the effects of the
    /// previous one. `decisions` lists the last refused ones (`RefusedDecisions`).
    ///
    /// - `id`: an id of the chain the command is about; nil for a customer.
    ///
    /// Throws `CommandError`, `QueryError`, `StoreError` or `ServingError`. Nothing is written
    /// then, unless it is `projectionBehind` with a position behind the command: the log has the
    /// command, and the same request under the same key succeeds once the projections have caught
    /// up.
    public func decide(
        _ action: Command.Action, about id: String?, _ order: CommandIntake.Order,
        _ scope: QueryScope
    ) async throws -> RepeatableAnswer {
        let served = try ledger(scope.environment)
        let receipt = try await receipt(action, about: id, order, scope)
        let write = try await outcome(of: receipt, served)
        let reported = served.answer(
            at: max(receipt.position, served.projectedPosition ?? 0)
        ) { json in
            json.object("decision") { json in receipt.writeMembers(to: &json) }
            write(&json)
        }
        return RepeatableAnswer(answer: reported, isRepeated: receipt.isRepeated)
    }

    /// The same without an answer. `position` is that of the state in which the author decided; nil
    /// for the present. Where the chain or the customer was erased after it, the command is refused
    /// (`erasureOvertaken`).
    public func receipt(
        _ action: Command.Action, about id: String?, asOf position: Int64? = nil,
        _ order: CommandIntake.Order, _ scope: QueryScope
    ) async throws -> CommandReceipt {
        do { return try await decided(action, about: id, asOf: position, order, scope) } catch {
            noteRefused(
                action, about: id, order, in: scope.environment, code: LedgerHost.code(of: error))
            throw error
        }
    }

    private func decided(
        _ action: Command.Action, about id: String?, asOf position: Int64?,
        _ order: CommandIntake.Order, _ scope: QueryScope
    ) async throws -> CommandReceipt {
        let served = try ledger(scope.environment)
        try requireClock()
        // One deadline for the waits before and inside the lock, so that the waits of queued
        // commands do not add up.
        let deadline = ContinuousClock.now + served.waitLimit
        _ = try await served.presentSnapshot(until: deadline)
        return try await served.decisions.pass {
            let snapshot = try await served.presentSnapshot(
                until: deadline, atMostBehind: ServedLedger.directEventCount - 1)
            var chain: ChainId?
            if let id { chain = try await snapshot.chain(id, scope.bundleId, of: served) }
            return try await commands(served).run(
                action, about: chain, asOf: min(position ?? .max, snapshot.position), order)
        }
    }

    /// The other members of the answer, as of the decision's own time and position.
    private func outcome(
        of receipt: CommandReceipt, _ served: ServedLedger
    ) async throws -> (inout JSONWriter) -> Void {
        let moment = Moment(
            at: receipt.receivedAt, now: clock(), knowledge: .knownPosition(receipt.position))
        let snapshot = try await served.projected(through: receipt.position)
        guard let customer = receipt.command.customer else {
            let reading = try await served.reading(
                of: receipt.chain, in: snapshot, through: receipt.position, moment)
            return { $0.member("subscription", reading) }
        }
        let answer = try await served.entitlements(
            of: customer, moment: moment, in: snapshot, including: receipt.chain)
        return { answer.writeMembers(to: &$0) }
    }

    func commands(_ served: ServedLedger) -> CommandIntake {
        CommandIntake(
            ledger: served.ledger, clock: clock,
            appending: { (events, position) throws(StoreError) in
                try await served.append(events, notErasedAfter: position)
            })
    }
}

/// The answer to a command or an upload.
public struct RepeatableAnswer: Sendable {
    public let answer: ServedAnswer
    /// The same request had been answered before; nothing was written now.
    public let isRepeated: Bool
}

extension LedgerSnapshot {
    /// The chain an id names. Where the projections are behind, a chain that is not found may still
    /// appear.
    fileprivate func chain(
        _ id: String, _ bundleId: BundleId?, of served: ServedLedger
    ) async throws -> ChainId {
        do throws(QueryError) {
            return try await chainForCommand(id, bundleId: bundleId)
        } catch {
            if case .noSuchSubscription = error, position < served.head {
                throw ServingError.projectionBehind(position: position)
            }
            throw MissingAnswer(
                error: error, position: position, lag: served.lag(after: position))
        }
    }
}

extension ServedLedger {
    /// Maximum events decoded directly for one answer; further behind, the answer waits for the
    /// projector.
    static let directEventCount = 1_000
    /// Wait of an answer to a new event for the projector, before it folds unprojected events
    /// itself.
    static let projectorPatience: Duration = .milliseconds(100)

    /// The state at most `count` events behind the end of the log; after `deadline`, the current
    /// one if it is less than `directEventCount` events behind.
    ///
    /// Throws `projectionBehind`.
    func presentSnapshot(
        until deadline: ContinuousClock.Instant, atMostBehind count: Int = 0
    ) async throws -> LedgerSnapshot {
        let head = try await ledger.log.head().position
        if let snapshot = board.snapshot, snapshot.position >= head { return snapshot }
        board.reached(head: head)
        wake.raise()
        let left = ContinuousClock.now.duration(to: deadline)
        let snapshot = await board.snapshot(
            atLeast: max(0, head - Int64(count)), limit: max(.zero, left))
        guard let snapshot, head - snapshot.position < Int64(ServedLedger.directEventCount) else {
            throw ServingError.projectionBehind(position: snapshot?.position ?? 0)
        }
        return snapshot
    }

    /// The state once it includes `position`, which is in the log. Nil when it does not in time but
    /// is close enough for the rest to be folded directly.
    ///
    /// Throws `projectionBehind` when it is further behind.
    func projected(through position: Int64) async throws -> LedgerSnapshot? {
        wake.raise()
        let near = await board.snapshot(
            atLeast: position, limit: ServedLedger.projectorPatience)
        if let near, near.position >= position { return near }
        let least = position - Int64(ServedLedger.directEventCount)
        let snapshot = try await snapshot(atLeast: max(0, least))
        return snapshot.position >= position ? snapshot : nil
    }

    /// The entitlements of a customer including newly appended events.
    ///
    /// - Parameters:
    ///   - snapshot: a state that includes them; nil folds unprojected events.
    ///   - chain: the chain that the new events are about.
    func entitlements(
        of customer: CustomerId, moment: Moment, in snapshot: LedgerSnapshot?,
        including chain: ChainId?
    ) async throws -> EntitlementsAnswer {
        if let snapshot {
            return try await snapshot.entitlements(of: customer, moment: moment)
        }
        return try await self.snapshot().entitlements(
            of: customer, moment: moment, including: chain)
    }
}
