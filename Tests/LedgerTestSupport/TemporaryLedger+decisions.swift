import AppStore
import Ledger
import Queries

extension MadeChain {
    package var chainId: ChainId {
        ChainId(
            bundleId: BundleId(bundleId), originalTransactionId: OriginalTransactionId(id))
    }
}

extension TemporaryLedger {
    /// Records a decision as the command does.
    @discardableResult
    package func decide(
        _ action: Command.Action, _ chain: ChainId? = nil, at time: Timestamp? = nil,
        key: String? = nil, actor: String = "sara", reason: String = "a ticket"
    ) async throws -> CommandReceipt {
        let now = time ?? self.now
        return try await ledger { ledger in
            try await CommandIntake(ledger: ledger) { now }.run(
                action, about: chain, .init(actor: actor, reason: reason, key: key))
        }
    }
}
