internal import AppStore
internal import Ledger
internal import LedgerStore
internal import Queries
internal import Reports
internal import SQLiteStore
internal import Signing

/// Folds the events of a bundle into its answer: the same code as the ledger's, over these events
/// alone.
enum BundleFold {
    /// What the events state of each chain. An erasure that carries one chain of a customer states
    /// every other chain that was erased with it, too.
    static func facts(of events: [LoggedEvent]) -> [ChainId: [Fact]] {
        var facts: [ChainId: [Fact]] = [:]
        for event in events {
            for decoded in FactDecoder.decode(event) {
                facts[decoded.chain, default: []].append(decoded.fact)
            }
        }
        return facts
    }

    /// The positions of the events that state nothing about the subject; of a customer, about no
    /// chain that names the customer.
    static func unrelated(
        to subject: BundleQuery.Subject, _ events: [LoggedEvent], _ facts: [ChainId: [Fact]]
    ) -> [Int64] {
        let chains: [ChainId]
        switch subject {
        case .subscription(let chain, _): chains = [chain]
        case .cell(let cell): chains = cell.chains
        case .customer(let customer):
            chains =
                [ChainId(customer: customer)]
                + facts.filter { $0.value.contains { $0.names(customer) } }.keys
        }
        let related = Set(chains + chains.map { ChainId(erased: ErasedChain($0)) })
        return events.filter { event in
            !FactDecoder.decode(event).contains { related.contains($0.chain) }
        }.map(\.event.position)
    }

    /// The question settled by the facts that its answer is folded from; that of a cell as it is.
    static func settled(_ query: BundleQuery, by facts: [ChainId: [Fact]]) -> BundleQuery {
        switch query.subject {
        case .subscription(let chain, _):
            let erasures = facts[ChainId(erased: ErasedChain(chain))] ?? []
            return query.settled(by: (facts[chain] ?? []) + erasures)
        case .customer:
            // An erasure itself states nothing of the customer.
            return query.settled(by: facts.values.joined().filter { $0.cause.kind != .erasure })
        case .cell: return query
        }
    }

    /// The answer's value from the facts of each chain; nil where they give none.
    ///
    /// Throws `nothingToProve` for a chain with too many facts, and `malformedBundle` for a
    /// subscription or a customer with a known fact received, or signed, after `query.now`
    /// (`BundleQuery.settled`), where `query.at` is later, too.
    static func value(
        _ query: BundleQuery, in environment: Environment, _ catalogue: Catalogue,
        of stated: [ChainId: [Fact]]
    ) throws -> JSONValue? {
        if stated.values.contains(where: { $0.count > ProofBundle.maximumFactCount }) {
            throw ProofError(
                .nothingToProve,
                "A subscription has more than \(ProofBundle.maximumFactCount) statements, the most"
                    + " that a bundle's answer may rest on.")
        }
        guard settled(query, by: stated) == query else { throw BundleFold.tooEarly }
        var facts = stated
        // In a bundle of a report: what was counted before an erasure is not counted again.
        for chain in facts.keys where chain.customer == nil {
            let erasures = facts[ChainId(erased: ErasedChain(chain))] ?? []
            facts[chain]? += erasures
        }
        let moment = Moment(
            at: query.at, now: query.now, knowledge: .knownPosition(query.knownPosition))
        let stamp = AnswerStamp(
            moment, position: query.knownPosition,
            catalogueHash: SHA256.hash(catalogue.canonicalBytes))
        var json = JSONWriter()
        switch query.subject {
        case .subscription(let chain, let id):
            let reading = ChainReading(
                chain: chain, facts: facts[chain] ?? [], moment: moment, environment: environment,
                catalogue: catalogue, stamp: stamp)
            guard let reading, reading.isNamed(id) else { return nil }
            reading.queried(by: id).write(to: &json)
        case .customer(let customer):
            let home = ChainId(customer: customer)
            let own = (facts[home] ?? []).filter(moment.knowledge.admits)
            let holdings = facts.filter { $0.key.customer == nil }.sorted { $0.key < $1.key }.map {
                chain, facts in
                Lifecycle(
                    facts.filter(moment.knowledge.admits), environment: environment,
                    catalogue: catalogue
                ).holding(of: customer, chain: chain)
            }
            EntitlementsAnswer(
                customer: customer, stamp: stamp,
                entitlements: Entitlements(
                    at: moment.at, holdings: holdings, grants: Grant.grants(own),
                    catalogue: catalogue)
            ).write(to: &json)
        case .cell(let cell):
            try write(cell, query, catalogue, to: &json) { chain in
                Lifecycle(
                    (facts[chain] ?? []).filter(moment.knowledge.admits), environment: environment,
                    catalogue: catalogue)
            }
        }
        return try provable(JSONValue.parse(json.bytes))
    }

    private static let tooEarly = ProofError(
        .malformedBundle,
        "The time asked about is after `now`, and an event that is used arrived after `now`, or was"
            + " signed more than 5 minutes after it: the answer would be stated as known before it"
            + " was.")

    /// What each chain adds to a cell, with the events that decided it, and the sum.
    private static func write(
        _ cell: BundledCell, _ query: BundleQuery, _ catalogue: Catalogue,
        to json: inout JSONWriter,
        _ life: (ChainId) -> Lifecycle
    ) throws {
        let counted = try cell.cell(limit: query.now)
        let found = cell.chains.compactMap { counted.found($0, life($0), catalogue) }
        json.object { json in
            json.member("position", query.knownPosition)
            json.member("reducerVersion", Int64(Lifecycle.reducerVersion))
            json.member("unit", counted.column.unit.rawValue)
            json.member("amount", found.reduce(Int64(0)) { $0.addingSaturated($1.amount) })
            json.objects("chains", found) { $1.writeMembers(to: &$0) }
        }
    }

    /// An answer without what single events cannot prove: whether everything has arrived.
    static func provable(_ answer: JSONValue) -> JSONValue {
        guard case .object(let members) = answer else { return answer }
        return .object(members.filter { !unprovable.contains($0.key) })
    }

    private static let unprovable: Set<String> = [
        "completeFrom", "completeThrough", "knownAt",
    ]
}

extension Fact {
    /// Whether a token or a decision in it names the customer.
    fileprivate func names(_ customer: CustomerId) -> Bool {
        let tokens = [statedTransaction?.appAccountToken, statedRenewal?.appAccountToken]
        return command?.customer == customer
            || tokens.contains { $0.map { CustomerId(token: $0) } == customer }
    }
}
