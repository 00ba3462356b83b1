public import LedgerStore
public import Projection
internal import Queries
internal import SQLiteStore

/// Catches derived data up with the log for a command, with or without a running service, which
/// projects between the snapshots.
public actor CommandProjecting {
    private let ledger: EnvironmentLedger
    private var last: LedgerSnapshot?
    private let report: Projector.Report
    /// Messages about derived data that was rebuilt.
    public private(set) var remarks: [String] = []

    public init(_ ledger: EnvironmentLedger, report: @escaping Projector.Report) {
        self.ledger = ledger
        self.report = report
    }

    /// The current state; the last one where the log has not grown since.
    public func snapshot() async throws(StoreError) -> LedgerSnapshot {
        if let last, try await ledger.log.head().position == last.position { return last }
        let opened = try await LedgerSession.open(ledger, report: report)
        remarks += opened.remarks
        let snapshot = await opened.released().snapshot
        last = snapshot
        return snapshot
    }

    /// Closes everything, including the ledger.
    public func close() async {
        try? last?.projections.close()
        await ledger.close()
    }
}
