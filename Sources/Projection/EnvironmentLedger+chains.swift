import AppStore
import Ledger
import LedgerStore
internal import SQLiteStore

extension EnvironmentLedger {
    /// The chains that an event is about. A receipt or an original StoreKit body may name several;
    /// only the evidence holds them.
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
