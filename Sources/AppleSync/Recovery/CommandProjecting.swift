public import LedgerStore
public import Projection

/// Catches derived data up with the log for a command, with or without a running service.
public actor CommandProjecting {
    private let ledger: EnvironmentLedger
    private var session: LedgerSession?
    private let report: Projector.Report

    public init(_ ledger: EnvironmentLedger, report: @escaping Projector.Report) {
        self.ledger = ledger
        self.report = report
    }

    /// The current state.
    public func snapshot() async throws(StoreError) -> LedgerSnapshot {
        if let session { return try await session.currentSnapshot(report: report) }
        let opened = try await LedgerSession.open(ledger, report: report)
        session = opened
        return try await opened.currentSnapshot(report: report)
    }

    /// Messages about derived data that was rebuilt.
    public var remarks: [String] { session?.remarks ?? [] }

    /// Closes everything, including the ledger.
    public func close() async {
        if let session { await session.close() } else { await ledger.close() }
    }
}
