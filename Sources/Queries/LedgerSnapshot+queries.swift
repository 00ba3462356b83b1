public import Projection

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
