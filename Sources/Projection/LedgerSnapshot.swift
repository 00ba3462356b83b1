public import SQLiteStore

/// One state of the derived data: the files to read, and the position up to which both include the
/// log. Published as a unit, so that no answer mixes two states; the files stay open while readers
/// use them.
public struct LedgerSnapshot: Sendable {
    public let ledger: EnvironmentLedger
    public let facts: FactsStore
    public let projections: ProjectionsStore
    /// The last position that every answer includes.
    public let position: Int64

    package init(
        ledger: EnvironmentLedger, facts: FactsStore, projections: ProjectionsStore, position: Int64
    ) {
        self.ledger = ledger
        self.facts = facts
        self.projections = projections
        self.position = position
    }

    /// Whether both files are still where they were opened.
    package var isInPlace: Bool { facts.isInPlace && projections.isInPlace }
}
