package import Ledger
public import Projection

extension EnvironmentLedger {
    /// Folds facts of one chain, under this ledger's catalogue.
    package func life(of facts: [Fact]) -> Lifecycle {
        Lifecycle(facts, environment: environment, catalogue: catalogue)
    }
}

extension LedgerSession {
    /// The state that the session has caught up to, with the current facts.
    private var reached: LedgerSnapshot {
        LedgerSnapshot(
            ledger: ledger, facts: ledger.facts, projections: projections, position: head)
    }

    public var query: ChainQuery { reached.query }

    public var customers: CustomerQuery { reached.customers }

    /// Searches this state.
    public var search: SearchQuery { reached.search }
}

extension LedgerSnapshot {
    /// Answers from this state.
    public var query: ChainQuery {
        ChainQuery(ledger: ledger, projections: projections, facts: facts, head: position)
    }

    /// Answers about customers from this state.
    public var customers: CustomerQuery { CustomerQuery(chainQuery: query) }
}
