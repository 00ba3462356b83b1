public import SQLiteStore

/// One state of what is derived: the files to read, and the position up to which both hold the
/// log. Published as a whole, so that no answer mixes two states; the files stay open for as long
/// as somebody reads them.
public struct LedgerSnapshot: Sendable {
    public let ledger: EnvironmentLedger
    public let facts: FactsStore
    public let projections: ProjectionsStore
    /// The last position every answer includes.
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

    func isOfSameFiles(as other: LedgerSnapshot) -> Bool {
        facts === other.facts && projections === other.projections
    }
}
