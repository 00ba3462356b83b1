public import LedgerStore

extension LedgerSession {
    /// A snapshot that includes the current end of the log, caught up here or by the process that
    /// projects.
    public func currentSnapshot(
        report: @escaping Projector.Report = { _ in }
    ) async throws(StoreError) -> LedgerSnapshot {
        if let projector {
            let head = try await projector.catchUp(report: report)
            try await ledger.completeness(asOf: projector.projections, at: head)
            return LedgerSnapshot(
                ledger: ledger, facts: ledger.facts, projections: projector.projections,
                position: head)
        }
        let session = try await LedgerSession.open(ledger, report: report)
        return LedgerSnapshot(
            ledger: ledger, facts: ledger.facts, projections: session.projections,
            position: session.head)
    }
}
