public import AppStore
public import Ledger
public import LedgerStore

/// Answers questions about customers: from their rows where these suffice, else from the facts of
/// their chains.
public struct CustomerQuery: Sendable {
    let ledger: EnvironmentLedger
    let projections: ProjectionsStore
    /// The position every answer holds, at least.
    let head: Int64

    /// Customers of one batch (`contract.md`, `POST /v1/customers:entitlements`).
    public static let batchCustomerCount = 1_000

    public init(ledger: EnvironmentLedger, projections: ProjectionsStore, head: Int64) {
        self.ledger = ledger
        self.projections = projections
        self.head = head
    }

    /// What a customer has; an id never seen has nothing and is new.
    public func entitlements(
        of customer: CustomerId, moment: Moment
    ) async throws(StoreError) -> EntitlementsAnswer {
        let answers = try await entitlements(of: [customer], moment: moment)
        return answers.first ?? answer(customer, moment, position: head, [], [])
    }

    /// As `entitlements(of:moment:)` for several, in the order given; the caller bounds how many.
    public func entitlements(
        of customers: [CustomerId], moment: Moment
    ) async throws(StoreError) -> [EntitlementsAnswer] {
        guard case .everything = moment.knowledge else {
            return try await folded(customers, moment)
        }
        var answers: [EntitlementsAnswer] = []
        answers.reserveCapacity(customers.count)
        for (customer, record) in zip(customers, try await projections.customers(customers)) {
            guard record.isComplete(at: moment.at) else {
                answers += try await folded([customer], moment)
                continue
            }
            answers.append(
                answer(
                    customer, moment, position: record.position, record.holdings, record.grants))
        }
        return answers
    }

    /// As the others, with facts of one chain that the projections may not hold yet: of an upload
    /// that was just appended.
    public func entitlements(
        of customer: CustomerId, moment: Moment, including chain: ChainId
    ) async throws(StoreError) -> EntitlementsAnswer {
        var chains = try await projections.chains(of: customer)
        if !chains.contains(chain) { chains.append(chain) }
        var holdings: [Holding] = []
        for chain in chains.sorted() {
            let facts = try await ledger.presentFacts(of: chain)
            holdings.append(holding(chain, facts.filter(moment.knowledge.admits), customer))
        }
        let facts = try await ledger.presentFacts(of: ChainId(customer: customer))
        let head = try await ledger.log.head().position
        return answer(
            customer, moment, position: moment.knowledge.position(head: head), holdings,
            Grant.grants(facts.filter(moment.knowledge.admits)))
    }

    // MARK: Folding

    /// From the facts: for what was known at another time, and for times before a row begins.
    func folded(
        _ customers: [CustomerId], _ moment: Moment
    ) async throws(StoreError) -> [EntitlementsAnswer] {
        var answers: [EntitlementsAnswer] = []
        for customer in customers {
            let chains = try await projections.chains(of: customer)
            var holdings: [Holding] = []
            for (chain, facts) in try await ledger.facts.facts(of: chains) {
                holdings.append(holding(chain, admitted(facts, moment), customer))
            }
            let grants = try await grants(of: customer, moment)
            answers.append(
                answer(
                    customer, moment, position: moment.knowledge.position(head: head), holdings,
                    grants))
        }
        return answers
    }

    func grants(
        of customer: CustomerId, _ moment: Moment
    ) async throws(StoreError) -> [Grant] {
        Grant.grants(try await ownFacts(of: customer, moment))
    }

    /// The facts about the customer rather than about a chain.
    func ownFacts(
        of customer: CustomerId, _ moment: Moment
    ) async throws(StoreError) -> [Fact] {
        let home = ChainId(customer: customer)
        return admitted(try await ledger.facts.facts(of: [home]).flatMap(\.1), moment)
    }

    /// The facts may be ahead of the position that the answer names.
    private func admitted(_ facts: [Fact], _ moment: Moment) -> [Fact] {
        facts.filter { $0.position <= head && moment.knowledge.admits($0) }
    }

    private func holding(
        _ chain: ChainId, _ facts: [Fact], _ customer: CustomerId
    ) -> Holding {
        Lifecycle(facts, environment: ledger.environment, catalogue: ledger.catalogue)
            .holding(of: customer, chain: chain)
    }

    private func answer(
        _ customer: CustomerId, _ moment: Moment, position: Int64, _ holdings: [Holding],
        _ grants: [Grant]
    ) -> EntitlementsAnswer {
        EntitlementsAnswer(
            customer: customer, at: moment.at, knownAt: moment.knowledge.knownAt,
            position: position, catalogueHash: ledger.catalogueHash,
            entitlements: Entitlements(
                at: moment.at, holdings: holdings, grants: grants, catalogue: ledger.catalogue))
    }
}

extension LedgerSession {
    public var customers: CustomerQuery {
        CustomerQuery(ledger: ledger, projections: projections, head: head)
    }
}
