internal import LedgerStore
internal import Projection
internal import Proofs

extension Doctor {
    /// Whether the log takes events, tested by a COMMIT that changes none: opening it shows neither
    /// a full disk nor a quota.
    func writing(_ log: any LedgerLog) async -> [Finding] {
        do throws(StoreError) {
            try await log.probeCommit()
            return []
        } catch { return [Finding(.bad, "log", "\(error.code.rawValue): \(error)")] }
    }

    /// Whether the log extends every checkpoint that was kept, and the signatures of the configured
    /// key and witnesses verify; no finding without a checkpoint. `audits` reports a key that
    /// cannot be read.
    func signed(_ ledger: EnvironmentLedger) async throws(StoreError) -> [Finding] {
        let key = try? configuration.auditKey(environment)
        let report = try await CheckpointAudit(
            ledger.log, operations: ledger.operations, key: key,
            witnesses: configuration.witnessKeys(environment)
        ).run()
        guard let report else { return [] }
        guard let newest = report.findings.last else {
            let message = "the log extends all \(report.checkpointCount)"
            return [Finding(.good, "checkpoints", message)]
        }
        return [
            Finding(.bad, "checkpoints", "The \(newest.text). See `subledger audit verify`.")
        ]
    }
}
