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
    public var snapshot: LedgerSnapshot {
        LedgerSnapshot(
            ledger: ledger, facts: ledger.facts, projections: projections, position: head)
    }
}
