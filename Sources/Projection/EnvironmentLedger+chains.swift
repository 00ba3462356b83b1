import AppStore
import Ledger
import LedgerStore
internal import SQLiteStore

extension EnvironmentLedger {
    /// The chains an event says something of. A receipt, or a body of original StoreKit, may speak
    /// of several: then only the evidence says which.
    package func chains(of event: RecordedEvent) async throws(StoreError) -> [ChainId] {
        let attributes = event.attributes
        if let id = attributes.chain {
            return [ChainId(bundleId: attributes.bundleId, originalTransactionId: id)]
        }
        guard attributes.kind.mayNameSeveralChains,
            let logged = try await log.event(at: event.position)
        else { return [] }
        return Set(try FactDecoder.decode(logged).map(\.chain)).sorted()
    }
}
