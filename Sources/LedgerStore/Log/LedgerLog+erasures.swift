package import Ledger

extension LedgerLog {
    /// The chains that were erased after a position, each with the position of its newest erasure.
    ///
    /// Throws the errors of reading the log.
    package func erasedChains(
        after position: Int64
    ) async throws(StoreError) -> [ErasedChain: Int64] {
        var chains: [ErasedChain: Int64] = [:]
        for erasure in try await erasurePositions(after: position, through: .max) {
            let evidence = try await event(at: erasure)?.originalBytes()
            for chain in evidence.flatMap({ Erasure(evidence: $0) })?.chains ?? [] {
                chains[chain] = erasure
            }
        }
        return chains
    }
}
