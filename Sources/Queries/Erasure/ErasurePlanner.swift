internal import AppStore
import Ledger
internal import LedgerStore
internal import Projection
internal import SQLiteStore

/// Finds what is known of a person in the log.
struct ErasurePlanner: Sendable {
    let ledger: EnvironmentLedger

    /// The plan for chains and a customer, as of the end of the log; without positions where it
    /// holds nothing about them.
    ///
    /// - Parameters:
    ///   - chains: named by the caller: erased even where another customer holds them.
    ///   - projections: include the end of the log.
    ///
    /// Throws `ErasureError` or `StoreError` (`closed` when the task is cancelled).
    func plan(
        chains given: [ChainId], customer: CustomerId?, in projections: ProjectionsStore,
        at now: Timestamp, report: @Sendable (_ done: Int64, _ all: Int64) -> Void
    ) async throws -> ErasurePlan {
        let end = try await ledger.facts.checkpoint().position
        guard given.allSatisfy({ !$0.isPseudonym }), customer?.isPseudonym != true else {
            throw ErasureError(.nothingToErase, Pseudonyms.refusal)
        }
        var chains = Set(given)
        if let customer {
            // A decision of an earlier release may name what was erased.
            let named = try await projections.chains(of: customer).filter { !$0.isPseudonym }
            try await require(customer, named.filter { !chains.contains($0) }, at: now)
            chains.formUnion(named)
        }
        let customerKeys = customer.map { [ChainId(customer: $0)] } ?? []
        let asked = chains
        var found = try await stated(by: &chains, customerKeys)
        let added = chains.subtracting(asked).sorted()
        if let customer { try await require(customer, added, at: now) }
        var ids = Set((chains.map(\.originalTransactionId.rawValue)))
        if let customer { ids.insert(customer.rawValue) }
        var purchaseIds = ids
        for position in found {
            let stated = PersonalIds(bytes(try await ledger.log.event(at: position)))
            ids.formUnion(stated.ids)
            purchaseIds.formUnion(stated.purchaseIds)
        }
        try await walk(chains, customer, ids, through: end, &found, report)
        let facts = try await facts(at: found.sorted(), of: chains.union(customerKeys))
        return ErasurePlan(
            chains: chains.sorted(), customer: customer, positions: found.sorted(),
            holders: try await holders(of: added, at: now), ids: ids,
            quarantineIds: customer == nil ? purchaseIds : ids, facts: facts, through: end)
    }

    /// Throws `heldByAnother` for a chain that another customer holds: that access must not end
    /// because this customer once held the chain, or because a receipt has it with one of theirs.
    private func require(
        _ customer: CustomerId, _ chains: [ChainId], at now: Timestamp
    ) async throws {
        let holders = try await holders(of: chains, at: now)
        for chain in chains {
            guard let customers = holders[chain], customers != [customer] else { continue }
            throw ErasureError(
                .heldByAnother,
                "\(chain.originalTransactionId) of \(chain.bundleId) names this customer, or a"
                    + " receipt states it beside a chain that does, and another customer holds it"
                    + " now. Link it to this customer first, or erase both in one order:"
                    + " `subledger erase --customer … --chain …`.")
        }
    }

    /// The current holders of each chain; chains without one are absent.
    private func holders(
        of chains: [ChainId], at now: Timestamp
    ) async throws -> [ChainId: [CustomerId]] {
        var found: [ChainId: [CustomerId]] = [:]
        for (chain, facts) in try await ledger.facts.facts(of: chains) {
            let customers = ledger.life(of: facts).holders.holders(at: now).map(\.customer)
            if !customers.isEmpty { found[chain] = customers }
        }
        return found
    }

    /// Positions of the facts of chains and customer keys. Adds the chains of the same receipts:
    /// they belong to the same person and share their evidence.
    private func stated(
        by chains: inout Set<ChainId>, _ customerKeys: [ChainId]
    ) async throws -> Set<Int64> {
        var positions: Set<Int64> = []
        var next = chains.union(customerKeys)
        while !next.isEmpty {
            var added: Set<ChainId> = []
            for (_, facts) in try await ledger.facts.facts(of: next.sorted()) {
                for fact in facts where fact.cause.kind != .erasure {
                    guard positions.insert(fact.position).inserted,
                        fact.cause.kind.mayNameSeveralChains,
                        let logged = try await ledger.log.event(at: fact.position)
                    else { continue }
                    added.formUnion(FactDecoder.decode(logged).map(\.chain))
                }
            }
            next = added.subtracting(chains)
            chains.formUnion(next)
        }
        return positions
    }

    /// The evidence of an event; empty where it was erased or is damaged.
    private func bytes(_ logged: LoggedEvent?) -> [UInt8] {
        (try? logged?.originalBytes()) ?? []
    }

    /// Adds the events without a fact: conflicts, other statements about the app, decisions about
    /// the customer that never took effect. Of a conflicting decision about another chain only the
    /// evidence names the customer.
    private func walk(
        _ chains: Set<ChainId>, _ customer: CustomerId?, _ ids: Set<String>, through end: Int64,
        _ found: inout Set<Int64>, _ report: @Sendable (Int64, Int64) -> Void
    ) async throws {
        var position: Int64 = 0
        while position < end {
            try StoreError.requireNotCancelled()
            let page = try await ledger.log.events(after: position, through: end, damaged: .marked)
            guard let last = page.last?.position else { break }
            for event in page where !found.contains(event.position) {
                let chain = event.attributes.chainId.flatMap { $0.isPseudonym ? nil : $0 }
                if let chain, chains.contains(chain) {
                    found.insert(event.position)
                } else if chain == nil || event.isConflict && event.attributes.kind == .command,
                    mayMention(event.attributes.kind),
                    let logged = try await ledger.log.event(at: event.position),
                    mentions(logged, customer, ids)
                {
                    found.insert(event.position)
                }
            }
            position = last
            report(position, end)
        }
    }

    /// The same plan, with the events considered that arrived after it.
    ///
    /// Throws `erasureOvertaken` where one of them belongs to the person, or where the person was
    /// erased by another process.
    func extended(_ plan: ErasurePlan) async throws -> ErasurePlan {
        var plan = plan
        let subjects = PersonErasure.subjects(plan.chains, plan.customer)
        let covered = Set(subjects + subjects.map { ChainId(erased: ErasedChain($0)) })
        while true {
            try StoreError.requireNotCancelled()
            // With their evidence: reading it for each event takes longer than nodes append.
            let page = try await ledger.log.page(after: plan.through, damaged: .marked)
            guard let last = page.last?.event.position else { return plan }
            if page.contains(where: { isCovered($0, covered, plan) }) {
                throw ErasureScope.overtaken
            }
            plan.through = last
        }
    }

    /// - Parameter covered: the chains and the customer of the plan, and the chains that an erasure
    ///   of them names.
    private func isCovered(
        _ logged: LoggedEvent, _ covered: Set<ChainId>, _ plan: ErasurePlan
    ) -> Bool {
        if let chain = logged.event.attributes.chainId, covered.contains(chain) { return true }
        let isStated = FactDecoder.decode(logged).contains { stated in
            let tokens = [
                stated.fact.statedTransaction?.appAccountToken,
                stated.fact.statedRenewal?.appAccountToken,
            ].compactMap(\.self)
            return covered.contains(stated.chain)
                || tokens.contains { CustomerId(token: $0) == plan.customer }
        }
        return isStated || mentions(logged, plan.customer, plan.ids)
    }

    /// Whether an event that names no chain of the person belongs to the person.
    private func mentions(
        _ logged: LoggedEvent, _ customer: CustomerId?, _ ids: Set<String>
    ) -> Bool {
        guard mayMention(logged.event.attributes.kind) else { return false }
        guard logged.event.attributes.kind == .command else {
            return !PersonalIds(bytes(logged)).ids.isDisjoint(with: ids)
        }
        guard let customer else { return false }
        let command = (try? JSONValue.parse(bytes(logged))).flatMap { Command(evidence: $0) }
        return command?.customer == customer
    }

    /// Whether an event of a kind may belong to a person without a fact about the person.
    private func mayMention(_ kind: EventKind) -> Bool {
        switch kind {
        case .receipt, .verifyReceipt, .notificationV1, .sweep, .erasure: false
        case .command, .notification, .transaction, .renewalPair, .appTransaction: true
        }
    }

    /// The facts that events state about chains, except those already kept under the random ids of
    /// an earlier erasure.
    private func facts(
        at positions: [Int64], of chains: Set<ChainId>
    ) async throws -> [ChainFact] {
        var erased: [ChainId: Set<Int64>] = [:]
        for (chain, facts) in try await ledger.facts.facts(of: chains.sorted()) {
            erased[chain] = facts.erasedPurchases
        }
        var facts: [ChainFact] = []
        for position in positions {
            guard let logged = try await ledger.log.event(at: position) else { continue }
            facts += FactDecoder.decode(logged).filter { stated in
                chains.contains(stated.chain)
                    && erased[stated.chain].map(stated.fact.isCounted) ?? true
            }
        }
        return facts
    }
}
