package import Ledger

extension LedgerLog {
    /// The chains that were erased after a position, each with the position of its newest erasure.
    /// Damaged erasures, which the audit reports, are left out.
    ///
    /// Throws the errors of reading the log.
    package func erasedChains(
        after position: Int64
    ) async throws(StoreError) -> [ErasedChain: Int64] {
        var chains: [ErasedChain: Int64] = [:]
        for erasure in try await erasurePositions(after: position, through: .max) {
            do throws(StoreError) {
                let evidence = try await event(at: erasure)?.originalBytes()
                for chain in evidence.flatMap({ Erasure(evidence: $0) })?.chains ?? [] {
                    chains[chain] = erasure
                }
            } catch {
                guard error.isDamage else { throw error }
            }
        }
        return chains
    }
}
