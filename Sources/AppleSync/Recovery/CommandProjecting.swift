public import LedgerStore
public import Projection

/// Catches derived data up with the log for a command, with or without a running service, which
/// projects between the snapshots.
public actor CommandProjecting {
    private let ledger: EnvironmentLedger
    private var session: LedgerSession?
    private let report: Projector.Report
    /// Messages about derived data that was rebuilt.
    public private(set) var remarks: [String] = []

    public init(_ ledger: EnvironmentLedger, report: @escaping Projector.Report) {
        self.ledger = ledger
        self.report = report
    }

    /// The current state.
    public func snapshot() async throws(StoreError) -> LedgerSnapshot {
        if let session { return try await session.currentSnapshot(report: report) }
        let opened = try await LedgerSession.open(ledger, report: report)
        remarks = opened.remarks
        session = await opened.released()
        return LedgerSnapshot(
            ledger: ledger, facts: ledger.facts, projections: opened.projections,
            position: opened.head)
    }

    /// Closes everything, including the ledger.
    public func close() async {
        if let session { await session.close() } else { await ledger.close() }
    }
}
