import AppStore
import Ledger
import LedgerStore
internal import SQLiteStore

extension EnvironmentLedger {
    /// The chains that an event is about. A receipt or an original StoreKit body may name several;
    /// only the evidence holds them.
    package func chains(of event: RecordedEvent) async throws(StoreError) -> [ChainId] {
        let attributes = event.attributes
        if let chain = attributes.chainId { return [chain] }
        guard attributes.kind.mayNameSeveralChains || attributes.kind == .erasure,
            let logged = try await log.event(at: event.position)
        else { return [] }
        let chains = Set(FactDecoder.decode(logged).map(\.chain))
        // An erasure is about the chains it erased, not the random ids that replace them.
        return chains.filter { chain in
            attributes.kind != .erasure || chain.erased?.bundleId.rawValue.isEmpty == false
        }.sorted()
    }

    /// The customer of an event that has no chain: a grant, its withdrawal, a note. Only the
    /// evidence contains it; such events are rare.
    func customer(of event: RecordedEvent) async throws(StoreError) -> CustomerId? {
        guard event.attributes.kind == .command, event.attributes.chain == nil,
            let logged = try await log.event(at: event.position)
        else { return nil }
        return FactDecoder.decode(logged).first?.chain.customer
    }

    /// Chains that events after a position name together with the customer. Decodes every event
    /// after the position.
    package func chains(
        naming customer: CustomerId, after position: Int64
    ) async throws(StoreError) -> [ChainId] {
        var chains: Set<ChainId> = []
        var position = position
        while true {
            let events = try await log.page(
                after: position, through: .max, limit: LogLimits.pageEventCount, damaged: .marked)
            guard let last = events.last else { return chains.sorted() }
            position = last.event.position
            for logged in events {
                for decoded in FactDecoder.decode(logged)
                where decoded.chain.customer == nil && decoded.fact.names(customer) {
                    chains.insert(decoded.chain)
                }
            }
        }
    }

    /// The facts of a chain or a customer up to the current head of the log: the stored ones, and
    /// those of events that are not projected yet.
    package func presentFacts(of chain: ChainId) async throws(StoreError) -> [Fact] {
        let facts = facts
        let stored = try await facts.checkpoint().position
        var found = try await facts.facts(of: [chain]).flatMap(\.1)
        var known = Set(found.map(\.position))
        var position = stored
        while true {
            let events = try await log.events(after: position, damaged: .marked)
            guard let last = events.last else { return found }
            position = last.position
            for event in events where mayConcern(event, chain) {
                guard let logged = try await log.event(at: event.position),
                    known.insert(event.position).inserted
                else { continue }
                found += FactDecoder.decode(logged).filter { $0.chain == chain }.map(\.fact)
            }
        }
    }

    private func mayConcern(_ event: RecordedEvent, _ chain: ChainId) -> Bool {
        let attributes = event.attributes
        guard chain.customer == nil else {
            return attributes.kind == .command && attributes.chain == nil
        }
        guard attributes.bundleId == chain.bundleId else { return false }
        return attributes.chain.map { $0 == chain.originalTransactionId }
            ?? attributes.kind.mayNameSeveralChains
    }
}

extension Fact {
    /// Whether the fact assigns its chain to this customer, by token or by command.
    fileprivate func names(_ customer: CustomerId) -> Bool {
        if command?.customer == customer { return true }
        return transaction?.appAccountToken.map { CustomerId(token: $0) } == customer
    }
}
