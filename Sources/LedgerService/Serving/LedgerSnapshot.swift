public import LedgerStore

/// One state of what is derived: the files to read, and the position up to which both hold the
/// log. Published as a whole, so that no answer mixes two states; the files stay open for as long
/// as somebody reads them.
public struct LedgerSnapshot: Sendable {
    public let ledger: EnvironmentLedger
    public let facts: FactsStore
    public let projections: ProjectionsStore
    /// The last position every answer includes.
    public let position: Int64

    /// Answers from this state.
    public var query: ChainQuery {
        ChainQuery(ledger: ledger, projections: projections, head: position, facts: facts)
    }

    /// Answers about customers from this state.
    public var customers: CustomerQuery {
        CustomerQuery(ledger: ledger, projections: projections, head: position, facts: facts)
    }

    /// Whether both files are still where they were opened.
    var isInPlace: Bool { facts.isInPlace && projections.isInPlace }

    func isOfSameFiles(as other: LedgerSnapshot) -> Bool {
        facts === other.facts && projections === other.projections
    }
}
