internal import AppleSync
internal import LedgerStore
internal import Projection

extension ServedLedger {
    /// As `snapshot`, with the longer wait of background work.
    func laterSnapshot(atLeast position: Int64) async throws(StoreError) -> LedgerSnapshot {
        do throws(ServingError) {
            return try await snapshot(
                atLeast: position, limit: .seconds(ReconcileLimits.projectionSeconds))
        } catch {
            throw StoreError(
                .fileLocked, path: ledger.directory,
                reason: "The projections did not reach position \(position) in time.",
                remedy: "They continue to catch up; the next round tries again.")
        }
    }
}
