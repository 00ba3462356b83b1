import Ledger
internal import LedgerStore
internal import Projection
internal import Queries

extension WebhookDelivery {
    /// Stores the results of attempts, except for changes of chains that the log has erased since,
    /// so that no row names these afterwards.
    ///
    /// - Returns: the places that are left out.
    func store(
        _ row: WebhookEndpointRow, _ changed: [WaitingChange], done: [ChainPlace]
    ) async throws(StoreError) -> Set<ChainPlace> {
        var gone = try await erased(changed)
        let rest = changed.filter { !gone.contains($0.chainPlace) }
        try await keep(row, waiting: rest, done: done + gone, after: kept)
        kept = row.cursor
        // An erasure that came between; a later one removes them itself.
        let late = try await erased(rest)
        if !late.isEmpty { try await keep(row, done: Array(late), after: kept) }
        gone.formUnion(late)
        return gone
    }

    /// Stores results. If the stored cursor is not `last`, throws; the next step reloads the state.
    func keep(
        _ row: WebhookEndpointRow, waiting: [WaitingChange] = [], done: [ChainPlace],
        after last: ChangePlace
    ) async throws(StoreError) {
        let operations = feed.ledger.operations
        if try await operations.keep(row, waiting: waiting, done: done, after: last) { return }
        forget()
        throw StoreError(
            .fileLocked, path: endpoint.name,
            reason: "The webhook's stored cursor is not the one that this process stored last.",
            remedy: "Nothing was written; delivery continues from what is stored.")
    }

    private func erased(_ changes: [WaitingChange]) async throws(StoreError) -> Set<ChainPlace> {
        guard let first = changes.map(\.place.position).min() else { return [] }
        let erasures = try await feed.ledger.log.erasedChains(after: first)
        guard !erasures.isEmpty else { return [] }
        return Set(
            changes.filter { change in
                erasures[ErasedChain(change.chain)].map { $0 > change.place.position } ?? false
            }.map(\.chainPlace))
    }
}
