import AppStore
public import Ledger
internal import LedgerStore
internal import Projection
public import Queries
internal import SQLiteStore

/// What operators and back ends decide about customers, over HTTP.
extension LedgerHost {
    /// Takes in a command about a customer; durable when it returns, and answered with what the
    /// customer has because of it: `{"decision":{…},` and the members of `entitlements`, as of the
    /// command's own moment and position; a note about a chain with `subscription`, the chain as
    /// `show` says it. The same command under the same key again is therefore answered with the same
    /// bytes, whatever happened since.
    ///
    /// Commands of one ledger are taken in one after the other, so that each is checked against
    /// what the one before did.
    ///
    /// - Parameter id: an id of the chain it is about; nil for a customer.
    ///
    /// Throws `CommandError`, `QueryError`, `StoreError` or `ServingError`; nothing is written
    /// then, unless it is `projectionBehind` with a position behind the command: the log took it,
    /// and the same request under the same key is answered once the projections are there.
    public func decide(
        _ action: Command.Action, about id: String?, _ order: CommandIntake.Order,
        _ scope: QuestionScope
    ) async throws -> DecisionAnswer {
        let served = try ledger(scope.environment)
        try requireClock()
        let receipt = try await served.decisions.pass {
            let snapshot = try await served.presentSnapshot()
            var chain: ChainId?
            if let id { chain = try await snapshot.chain(id, scope.bundleId, of: served) }
            return try await commands(served).run(action, about: chain, order)
        }
        let write = try await outcome(of: receipt, served)
        let told = ServedAnswer(
            position: max(receipt.position, served.projectedPosition ?? 0),
            lag: served.lag.positions
        ) { json, isStamped in
            json.object { json in
                json.object("decision") { json in receipt.writeMembers(to: &json) }
                write(&json, isStamped)
            }
        }
        return DecisionAnswer(answer: told, isRepeated: receipt.isRepeated)
    }

    /// What stands in an answer beside the decision, as of its own moment and position.
    private func outcome(
        of receipt: CommandReceipt, _ served: ServedLedger
    ) async throws -> (_ json: inout JSONWriter, _ isStamped: Bool) -> Void {
        let moment = Moment(
            at: receipt.receivedAt, now: clock(), knowledge: .knownPosition(receipt.position))
        let snapshot = try await served.projected(through: receipt.position)
        guard let customer = receipt.command.customer else {
            let reading = try await served.reading(
                of: receipt.chain, in: snapshot, through: receipt.position, moment)
            return { json, isStamped in
                json.key("subscription")
                if let reading {
                    reading.writeShow(to: &json, isStamped: isStamped)
                } else {
                    json.null()
                }
            }
        }
        let answer = try await served.entitlements(
            of: customer, moment: moment, in: snapshot, including: receipt.chain)
        return { answer.writeMembers(to: &$0, isStamped: $1) }
    }

    /// Commands into one ledger.
    func commands(_ served: ServedLedger) -> CommandIntake {
        CommandIntake(
            ledger: served.ledger, clock: clock, makeId: makeId,
            appending: { (events) throws(StoreError) in try await served.append(events) })
    }
}

/// The answer to a command.
public struct DecisionAnswer: Sendable {
    public let answer: ServedAnswer
    /// The same command had been taken in before; nothing was written now.
    public let isRepeated: Bool
}

extension LedgerSnapshot {
    /// The chain an id names. Where the projections are behind, a chain that is not found may yet
    /// come.
    fileprivate func chain(
        _ id: String, _ bundleId: BundleId?, of served: ServedLedger
    ) async throws -> ChainId {
        do throws(QueryError) { return try await query.chain(id, bundleId: bundleId) } catch {
            if case .noSuchSubscription = error, position < served.head {
                throw ServingError.projectionBehind(position: position)
            }
            throw AnswerFailure(error, position: position, lag: served.lag.positions)
        }
    }
}

extension ServedLedger {
    /// Events decoded directly for one answer; further behind, the answer waits for the projector.
    static let directEventCount = 1_000
    /// How long an answer to what was just appended waits for the projector before it folds by
    /// itself what is not projected.
    static let projectorPatience: Duration = .milliseconds(100)

    /// The state at the end of the log or, after `waitLimit`, at most `directEventCount` behind it.
    ///
    /// Throws `projectionBehind`.
    func presentSnapshot() async throws -> LedgerSnapshot {
        let head = try await ledger.log.head().position
        if let snapshot = board.snapshot, snapshot.position >= head { return snapshot }
        board.reached(head: head)
        wake.raise()
        let snapshot = await board.snapshot(atLeast: head, limit: ServedLedger.waitLimit)
        guard let snapshot, head - snapshot.position <= Int64(ServedLedger.directEventCount) else {
            throw ServingError.projectionBehind(position: snapshot?.position ?? 0)
        }
        return snapshot
    }

    /// The state once it holds `position`, which is in the log; nil when it does not in time, but
    /// is so near that the rest can be folded directly.
    ///
    /// Throws `projectionBehind` when it is not.
    func projected(through position: Int64) async throws -> LedgerSnapshot? {
        wake.raise()
        let near = await board.snapshot(
            atLeast: position, limit: ServedLedger.projectorPatience)
        if let near, near.position >= position { return near }
        let least = position - Int64(ServedLedger.directEventCount)
        let snapshot = try await snapshot(atLeast: max(0, least))
        return snapshot.position >= position ? snapshot : nil
    }

    /// What a customer has with what was just appended.
    ///
    /// - Parameters:
    ///   - snapshot: a state that holds it; nil folds what is not projected.
    ///   - chain: what was just appended is about it.
    func entitlements(
        of customer: CustomerId, moment: Moment, in snapshot: LedgerSnapshot?,
        including chain: ChainId?
    ) async throws -> EntitlementsAnswer {
        if let snapshot {
            return try await snapshot.customers.entitlements(of: customer, moment: moment)
        }
        return try await self.snapshot().customers.entitlements(
            of: customer, moment: moment, including: chain)
    }
}
