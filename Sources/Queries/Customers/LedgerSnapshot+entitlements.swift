public import AppStore
public import Ledger
public import LedgerStore
public import Projection
package import SQLiteStore

/// Answers queries about customers: from their rows where these suffice, else from the facts of
/// their chains.
extension LedgerSnapshot {
    /// The entitlements of a customer; an unknown id has none and is new.
    ///
    /// - `bundleId`: only chains of this app, and grants; nil: chains of every app.
    public func entitlements(
        of customer: CustomerId, moment: Moment, bundleId: BundleId? = nil
    ) async throws(StoreError) -> EntitlementsAnswer {
        try await entitlements(of: [customer], moment: moment, bundleId: bundleId)[0]
    }

    /// As `entitlements(of:moment:)` for several customers, in the given order; the caller limits
    /// the number.
    public func entitlements(
        of customers: [CustomerId], moment: Moment, bundleId: BundleId? = nil
    ) async throws(StoreError) -> [EntitlementsAnswer] {
        let keys = customers.map { ProjectionsStore.CustomerKey($0, bundleId: bundleId) }
        var answers: [EntitlementsAnswer] = []
        answers.reserveCapacity(customers.count)
        guard case .everything = moment.knowledge else {
            for key in keys { answers.append(try await folded(key, moment)) }
            return answers
        }
        for (key, record) in zip(keys, try await projections.customers(keys)) {
            answers.append(try await answer(key, record, moment))
        }
        return answers
    }

    /// The answer from a customer's row, where that suffices. The moment must have full knowledge.
    package func answer(
        _ key: ProjectionsStore.CustomerKey, _ record: ProjectionsStore.CustomerRecord,
        _ moment: Moment
    ) async throws(StoreError) -> EntitlementsAnswer {
        guard record.isComplete(at: moment.at) else { return try await folded(key, moment) }
        return answer(
            key, moment, position: record.position, record.holdings, record.grants)
    }

    /// As the others, but from the whole log, including events not projected yet; for what was just
    /// appended. Decodes every such event; the caller limits the number.
    ///
    /// - `chain`: an additional chain to include; nil for none.
    public func entitlements(
        of customer: CustomerId, moment: Moment, including chain: ChainId?
    ) async throws(StoreError) -> EntitlementsAnswer {
        let projected = try await projections.checkpoint().position
        var chains = Set(try await projections.chains(of: customer))
        if let chain { chains.insert(chain) }
        chains.formUnion(try await ledger.chains(naming: customer, after: projected))
        var holdings: [Holding] = []
        for chain in chains.sorted() {
            let facts = try await ledger.presentFacts(of: chain)
            holdings.append(holding(chain, facts.filter(moment.knowledge.admits), customer))
        }
        let facts = try await ledger.presentFacts(of: ChainId(customer: customer))
        let head = try await ledger.log.head().position
        return answer(
            .init(customer), moment, position: moment.knowledge.position(head: head), holdings,
            Grant.grants(facts.filter(moment.knowledge.admits)))
    }

    // MARK: Folding

    /// Answers from the facts: for earlier knowledge, and for times before a row begins.
    private func folded(
        _ key: ProjectionsStore.CustomerKey, _ moment: Moment
    ) async throws(StoreError) -> EntitlementsAnswer {
        let customer = key.id
        let chains = try await chains(of: customer, key.bundleId)
        var holdings: [Holding] = []
        for (chain, facts) in try await facts.facts(of: chains) {
            holdings.append(holding(chain, admitted(facts, moment), customer))
        }
        return answer(
            key, moment, position: moment.knowledge.position(head: position), holdings,
            Grant.grants(try await ownFacts(of: customer, moment)))
    }

    /// Every chain whose facts ever named the customer.
    func chains(
        of customer: CustomerId, _ bundleId: BundleId?
    ) async throws(StoreError) -> [ChainId] {
        try await projections.chains(of: customer)
            .filter { bundleId == nil || $0.bundleId == bundleId }
    }

    /// The facts about the customer rather than about a chain.
    private func ownFacts(
        of customer: CustomerId, _ moment: Moment
    ) async throws(StoreError) -> [Fact] {
        let home = ChainId(customer: customer)
        return admitted(try await facts.facts(of: [home]).flatMap(\.1), moment)
    }

    /// Facts may be ahead of the answer's position.
    func admitted(_ facts: [Fact], _ moment: Moment) -> [Fact] {
        facts.filter { $0.position <= position && moment.knowledge.admits($0) }
    }

    private func holding(
        _ chain: ChainId, _ facts: [Fact], _ customer: CustomerId
    ) -> Holding {
        ledger.life(of: facts).holding(of: customer, chain: chain)
    }

    private func answer(
        _ key: ProjectionsStore.CustomerKey, _ moment: Moment, position: Int64,
        _ holdings: [Holding], _ grants: [Grant]
    ) -> EntitlementsAnswer {
        EntitlementsAnswer(
            customer: key.id,
            stamp: AnswerStamp(moment, of: key.bundleId, position: position, ledger),
            entitlements: Entitlements(
                at: moment.at, holdings: holdings, grants: grants, catalogue: ledger.catalogue))
    }
}
