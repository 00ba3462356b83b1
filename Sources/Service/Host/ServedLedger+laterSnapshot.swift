import AppStore
internal import AppleSync
internal import LedgerStore
internal import Projection

extension ServedLedger {
    /// As `snapshot`, waiting for longer than a question may: for work that nobody waits for.
    func laterSnapshot(atLeast position: Int64) async throws(StoreError) -> LedgerSnapshot {
        do throws(ServingError) {
            return try await snapshot(
                atLeast: position, limit: .seconds(ReconcileLimits.projectionSeconds))
        } catch {
            throw StoreError(
                .fileLocked, path: ledger.directory,
                reason: "The projections did not reach position \(position) in time.",
                remedy: "They go on by themselves; the next round asks again.")
        }
    }
}
