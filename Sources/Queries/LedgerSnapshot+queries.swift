package import Ledger
public import Projection

extension EnvironmentLedger {
    /// Folds facts of one chain, under this ledger's catalogue.
    package func life(of facts: [Fact]) -> Lifecycle {
        Lifecycle(facts, environment: environment, catalogue: catalogue)
    }
}

extension LedgerSession {
    public var query: ChainQuery {
        ChainQuery(ledger: ledger, projections: projections, head: head)
    }
}

extension LedgerSnapshot {
    /// Answers from this state.
    public var query: ChainQuery {
        ChainQuery(ledger: ledger, projections: projections, head: position, facts: facts)
    }

    /// Answers about customers from this state.
    public var customers: CustomerQuery {
        CustomerQuery(ledger: ledger, projections: projections, head: position, facts: facts)
    }
}
