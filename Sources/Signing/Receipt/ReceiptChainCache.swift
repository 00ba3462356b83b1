internal import AppStore
internal import Synchronization

/// Verified certificate chains, so that the next receipt under one costs only its own signature.
/// Only verified chains are added; the least recently used is evicted.
final class ReceiptChainCache: Sendable {
    /// Capacity; Apple has had fewer than ten signers in a dozen years.
    static let capacity = 64

    private struct Entry {
        let key: Digest
        let chain: ReceiptChain
        var lastUse: UInt64
    }

    private struct State {
        var entries: [Entry] = []
        var uses: UInt64 = 0
    }

    private let state = Mutex(State())

    init() {}

    /// The chain of a receipt with these certificates and this signer.
    func chain(_ key: Digest) -> ReceiptChain? {
        state.withLock { state in
            guard let index = state.entries.firstIndex(where: { $0.key == key }) else { return nil }
            state.uses &+= 1
            state.entries[index].lastUse = state.uses
            return state.entries[index].chain
        }
    }

    /// Call only after a signature under the chain was verified.
    func insert(_ chain: ReceiptChain, key: Digest) {
        state.withLock { state in
            guard !state.entries.contains(where: { $0.key == key }) else { return }
            if state.entries.count >= ReceiptChainCache.capacity,
                let oldest = state.entries.indices.min(by: {
                    state.entries[$0].lastUse < state.entries[$1].lastUse
                })
            {
                state.entries.remove(at: oldest)
            }
            state.uses &+= 1
            state.entries.append(Entry(key: key, chain: chain, lastUse: state.uses))
        }
    }

    var count: Int { state.withLock { $0.entries.count } }
}
