public import AppStore
public import Ledger
internal import LedgerStore
public import Projection
public import SQLiteStore

/// Erases what is known of a person (`Erasure.md`): from operational state, from the log, and from
/// deleted data that remains in their files. Derived files follow when they are caught up.
///
/// After a kill at any moment the log is either unchanged or erased; the same order then finishes
/// the rest.
public struct PersonErasure: Sendable {
    let ledger: EnvironmentLedger
    private let clock: @Sendable () -> Timestamp
    /// Returns different random texts of one length.
    let draw: @Sendable (Int) -> [String]
    /// Returns the projections once they, and the facts, include the end of the log.
    private let caughtUp: @Sendable () async throws -> ProjectionsStore

    /// Receives the events considered and their number.
    public typealias Progress = @Sendable (_ done: Int64, _ all: Int64) -> Void

    /// The outcome of an order.
    public struct Receipt: Sendable {
        /// The position of the erasure.
        public let position: Int64
        /// Nil where the order repeats an earlier one.
        public let plan: ErasurePlan?
        /// Ids of a repetition that name nothing now; they may not have been part of the erasure.
        public internal(set) var unknown: [String] = []
        /// Whether events that arrived since stay, which only an order with another key erases.
        var hasNewLife = false
    }

    /// How often newer events are considered before giving up.
    static let attemptCount = 20

    /// Bytes of an erasure; fewer in tests.
    package var maximumByteCount = LogLimits.evidenceByteCount
    /// Facts of an erasure; fewer in tests.
    package var maximumFactCount = Erasure.maximumFactCount

    public init(
        ledger: EnvironmentLedger, clock: @escaping @Sendable () -> Timestamp,
        draw: @escaping @Sendable (Int) -> [String],
        caughtUp: @escaping @Sendable () async throws -> ProjectionsStore
    ) {
        self.ledger = ledger
        self.clock = clock
        self.draw = draw
        self.caughtUp = caughtUp
    }

    /// What would be erased, refused where an order would be.
    ///
    /// - `chains`: erased even where another customer holds them.
    ///
    /// Throws `ErasureError` or `StoreError`.
    public func plan(
        chains: [ChainId], customer: CustomerId?, report: Progress = { _, _ in }
    ) async throws -> ErasurePlan {
        let plan = try await search(chains: chains, customer: customer, report: report)
        _ = try erasure(plan, PersonErasure.longestOrder)
        return plan
    }

    private func search(
        chains: [ChainId], customer: CustomerId?, report: Progress
    ) async throws -> ErasurePlan {
        var plan = try await ErasurePlanner(ledger: ledger).plan(
            chains: chains, customer: customer, in: try await caughtUp(), at: clock(),
            report: report)
        plan.quarantinedCount = try await quarantined(naming: plan.quarantineIds).count
        guard plan.positions.isEmpty else { return plan }
        let subjects = PersonErasure.subjects(chains, customer)
        let isErased = try await lastErasure(of: subjects) != nil
        guard plan.quarantinedCount > 0, !isErased else {
            let inputs = plan.quarantinedCount.named("input", "inputs")
            throw ErasureError(
                .nothingToErase,
                "The log holds no event about this. "
                    + (plan.quarantinedCount > 0
                        ? "An order removes what names it in quarantine: \(inputs)."
                        : "No quarantined input names it.")
                    + " What was erased before cannot be found by its ids any more.")
        }
        return plan
    }

    /// Erases chains, and a customer with every chain that names it. An order that was carried out
    /// before is finished, and answered with the same position. The chains are from
    /// `chains(named:by:bundleId:_:)`; `unknown` are the ids that named nothing, which the receipt
    /// of a repetition lists.
    ///
    /// Throws `ErasureError`, `CommandError` for a wrong actor, reason or key, and `StoreError`.
    public func run(
        chains: [ChainId], customer: CustomerId?, _ order: CommandIntake.Order,
        unknown: [String] = [], report: Progress = { _, _ in }
    ) async throws -> Receipt {
        try CommandCheck.check(order)
        let subjects = PersonErasure.subjects(chains, customer)
        for _ in 0..<PersonErasure.attemptCount {
            // Asked again after each search: another process may have been first.
            if let known = try await known(order) {
                // The key is that of another person's erasure.
                guard Set(subjects.map { ErasedChain($0) }).isSubset(of: known.erasure.chains)
                else { throw CommandIntake.reused(order.key ?? "") }
                do {
                    _ = try await search(chains: chains, customer: customer, report: report)
                } catch let error as ErasureError where error.code == .nothingToErase {
                    try await finish(chains, customer, erasedAt: known.position)
                    return Receipt(position: known.position, plan: nil, unknown: unknown)
                } catch is ErasureError {}
                // What arrived since is a new life: it stays, with its operational state.
                try await ledger.operations.erase(
                    chains: [], ids: [], positions: known.erasure.positions)
                try await purge()
                return Receipt(
                    position: known.position, plan: nil, unknown: unknown, hasNewLife: true)
            }
            do {
                let plan = try await search(chains: chains, customer: customer, report: report)
                return Receipt(position: try await carryOut(plan, order), plan: plan)
            } catch let error as StoreError where error.code == .erasureOvertaken {
                continue
            } catch let error as ErasureError where error.code == .nothingToErase {
                guard let position = try await lastErasure(of: subjects) else { throw error }
                try await finish(chains, customer, erasedAt: position)
                return Receipt(position: position, plan: nil)
            }
        }
        throw ErasureScope.overtaken
    }

    /// The steps of an erasure, in order.
    package enum Step: CaseIterable, Sendable {
        // Before anything is removed that a refusal would not bring back.
        case permission
        // Before the log: afterwards the ids are known only to the caller.
        case operations
        case quarantine
        case log
        // Again: what was waiting may have been stored meanwhile.
        case operationsAgain
        case quarantineAgain
        // Once, and after the log: it may take long, and more events would arrive meanwhile.
        case operationsPurge
        case logPurge
    }

    /// Erases what a plan found. Returns the position of the erasure.
    ///
    /// - Parameter steps: the steps to run; fewer in tests.
    @discardableResult
    package func carryOut(
        _ plan: ErasurePlan, _ order: CommandIntake.Order, steps: [Step] = Step.allCases
    ) async throws -> Int64 {
        let event = try NewEvent(
            try erasure(plan, order), receivedAt: clock(), packer: ledger.log.packer)
        let operations = ledger.operations
        var position: Int64 = 0
        for step in steps {
            switch step {
            // Without events the order has every id; the log is first, so that a repetition finds
            // the erasure.
            case .operations where plan.positions.isEmpty: continue
            case .quarantine where plan.positions.isEmpty: continue
            case .permission: try await ledger.log.requirePurgeable()
            case .operations, .operationsAgain:
                try await operations.erase(
                    chains: plan.chains, ids: plan.ids.sorted(), positions: plan.positions)
            // What alone names a chain stays until the log names it, for a repetition.
            case .quarantine:
                try await eraseQuarantine(plan.quarantineIds.subtracting(plan.unloggedIds))
            case .quarantineAgain: try await eraseQuarantine(plan.quarantineIds)
            case .operationsPurge: try await operations.purge()
            case .log: position = try await append(event, plan)
            case .logPurge: try await ledger.log.purge()
            }
        }
        return position
    }

    /// Appends the erasure that a plan describes. Events that arrived after the plan stop it only
    /// where they belong to the person, or where one is an erasure under the same key: a second one
    /// would be a conflict, and no repetition of its order could finish it.
    ///
    /// Throws `erasureOvertaken` then.
    private func append(_ erasure: NewEvent, _ plan: ErasurePlan) async throws -> Int64 {
        var plan = plan
        for _ in 0..<PersonErasure.attemptCount {
            // The transaction looks at the chains of what arrived since, not at whom it names.
            plan = try await ErasurePlanner(ledger: ledger).extended(plan)
            // One that is appended after this look is beyond the plan, and stops the transaction.
            guard try await ledger.log.event(key: erasure.key) == nil else { break }
            do throws(StoreError) {
                return try await ledger.log.erase(erasure, within: plan.scope).position
            } catch {
                guard error.code == .erasureOvertaken else { throw error }
            }
        }
        throw ErasureScope.overtaken
    }

    /// The erasure that was ordered under the same key; nil for a new order.
    ///
    /// Throws `StoreError`, or `idempotencyKeyReused` where the actor or the reason differs.
    private func known(
        _ order: CommandIntake.Order
    ) async throws -> (position: Int64, erasure: Erasure)? {
        guard let key = order.key else { return nil }
        let id = EventKey.erasureId(orderedUnder: key)
        guard let known = try await ledger.log.event(key: EventKey.make(.erasure, [id])) else {
            return nil
        }
        let erasure = try known.originalBytes().flatMap { Erasure(evidence: $0) }
        guard let erasure, erasure.actor == order.actor, erasure.reason == order.reason else {
            throw CommandIntake.reused(key)
        }
        return (known.event.position, erasure)
    }

    /// The chains and the customer of an order, as an erasure records them.
    static func subjects(_ chains: [ChainId], _ customer: CustomerId?) -> [ChainId] {
        chains + (customer.map { [ChainId(customer: $0)] } ?? [])
    }

    /// The newest erasure of chains that were all erased before.
    private func lastErasure(of chains: [ChainId]) async throws(StoreError) -> Int64? {
        let erasedKeys = chains.map { ChainId(erased: ErasedChain($0)) }
        let erased = try await ledger.facts.facts(of: erasedKeys).map(\.1)
        guard !erased.isEmpty, erased.allSatisfy({ !$0.isEmpty }) else { return nil }
        return erased.joined().map(\.position).max()
    }

    /// The chains that ids name now, or named before they were erased. An id that only quarantined
    /// inputs name is taken as that of a chain where the app is known.
    ///
    /// - Parameters:
    ///   - ids: originalTransactionIds or transactionIds.
    ///   - snapshot: finds the chains of today.
    ///   - bundleId: nil: in any app.
    ///   - order: if it was carried out before, ids may name nothing any more; nil for a plan.
    /// - Returns: also the ids that name nothing.
    ///
    /// Throws `QueryError` (`noSuchSubscription` for such an id of a new order), `CommandError` for
    /// a wrong actor, reason or key, and `StoreError`.
    public func chains(
        named ids: [String], by snapshot: LedgerSnapshot, bundleId: BundleId?,
        _ order: CommandIntake.Order?
    ) async throws -> (found: [ChainId], unknown: [String]) {
        var isRepeated = false
        if let order {
            try CommandCheck.check(order)
            isRepeated = try await known(order) != nil
        }
        let apps = bundleId.map { [$0] } ?? ledger.apps
        var (found, unknown): ([ChainId], [String]) = ([], [])
        var quarantined: Set<String>?
        for id in ids {
            do throws(QueryError) {
                found.append(try await snapshot.chain(id, bundleId: bundleId))
            } catch {
                guard case .noSuchSubscription = error else { throw error }
                if let chain = try await erasedChain(id, among: apps) {
                    found.append(chain)
                } else if isRepeated {
                    unknown.append(id)
                } else if let app = apps.first, apps.count == 1 {
                    // Read once for all ids.
                    if quarantined == nil {
                        quarantined = try await quarantine(naming: Set(ids), byPurchases: true).ids
                    }
                    guard quarantined?.contains(id) == true else { throw error }
                    found.append(
                        ChainId(bundleId: app, originalTransactionId: OriginalTransactionId(id)))
                } else {
                    throw error
                }
            }
        }
        return (found, unknown)
    }

    /// The chain with this originalTransactionId that was erased before, in one of the apps; nil
    /// when there is none.
    private func erasedChain(
        _ id: String, among apps: [BundleId]
    ) async throws(StoreError) -> ChainId? {
        for app in apps {
            let chain = ChainId(
                bundleId: app, originalTransactionId: OriginalTransactionId(id))
            if try await lastErasure(of: [chain]) != nil { return chain }
        }
        return nil
    }

    /// Finishes an erasure that was interrupted after the log was erased. Also removes what a
    /// lagging node stored about the person afterwards, under the ids of the order, and answers to
    /// retention requests about any chain of the erasure.
    private func finish(
        _ chains: [ChainId], _ customer: CustomerId?, erasedAt position: Int64
    ) async throws(StoreError) {
        try await ledger.log.requirePurgeable()
        let logged = try await ledger.log.event(at: position)
        let erasure = try logged?.originalBytes().flatMap { Erasure(evidence: $0) }
        var ids = Set(chains.map(\.originalTransactionId.rawValue))
        if let customer { ids.insert(customer.rawValue) }
        let answered = try await answeredChains(among: Set(erasure?.chains ?? []))
        try await ledger.operations.erase(
            chains: chains + answered, ids: ids.sorted(), positions: erasure?.positions ?? [])
        try await eraseQuarantine(ids)
        try await purge()
    }

    /// Overwrites what was deleted and remains in the files.
    private func purge() async throws(StoreError) {
        try await ledger.operations.purge()
        try await ledger.log.purge()
    }

    /// The erased chains that stored answers to retention requests still name.
    private func answeredChains(
        among erased: Set<ErasedChain>
    ) async throws(StoreError) -> [ChainId] {
        var chains: Set<ChainId> = []
        var place = RetentionRecord.Place(before: Timestamp(milliseconds: 0))
        while true {
            let page = try await ledger.operations.retentionAnswers(
                after: place, before: Timestamp(milliseconds: .max),
                limit: LedgerSnapshot.retentionPageCount)
            guard let last = page.last else { break }
            place = RetentionRecord.Place(last)
            chains.formUnion(page.map(\.chain))
        }
        return chains.filter { erased.contains(ErasedChain($0)) }.sorted()
    }
}

extension PersonErasure.Receipt {
    /// For people.
    public var text: String {
        guard let plan else {
            let rest =
                unknown.isEmpty
                ? ""
                : "Not checked, since they name nothing now:"
                    + " \(unknown.map(\.printable).joined(separator: ", ")).\n"
            let newer =
                hasNewLife
                ? "Events that arrived since stay; an order with another key erases them.\n" : ""
            return "erased before, at position \(position); what was left of it is removed\n"
                + newer + rest
        }
        let count = plan.positions.count.named("event", "events")
        let inputs = plan.quarantinedCount.named("quarantined input", "quarantined inputs")
        return "erased \(count) of \(plan.chains.count.named("chain", "chains")) at position"
            + " \(position)\n" + plan.chainLines + "removed \(inputs)\n"
            + "Not reached: backups (restore applies it again where it replaces this log, or with"
            + " --erasures), warehouses, receivers of webhooks.\n"
    }

    /// The members of `{"erasure":…}` of `Contract.md`, `erase`.
    public func writeMembers(to json: inout JSONWriter) {
        json.member("position", position)
        json.member("repeated", plan == nil)
        json.object("plan", plan) { json, plan in plan.writeMembers(to: &json) }
        json.array("unknown", unknown)
    }
}
