import Ledger
public import LedgerStore
public import Projection
internal import SQLiteStore

/// The state of an iteration over all chains.
public struct ChainCursor: Sendable {
    var pending: [ChainReading] = []
    var after: ChainId?
}

extension LedgerSnapshot {
    /// The next chain in order that exists at the moment; nil at the end. Start with a nil cursor.
    public func next(
        after cursor: inout ChainCursor?, moment: Moment
    ) async throws(StoreError) -> ChainReading? {
        var state = cursor ?? ChainCursor()
        defer { cursor = state }
        while state.pending.isEmpty {
            let page = try await facts.page(after: state.after)
            guard let last = page.last else { return nil }
            state.after = last.0
            state.pending = page.compactMap { entry in
                ChainReading(
                    chain: entry.0, facts: entry.1, shared: [], moment: moment, head: position,
                    ledger: ledger)
            }
        }
        return state.pending.removeFirst()
    }
}
