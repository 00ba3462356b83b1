internal import AppStore
internal import Synchronization

/// Verified certificate chains, so that the next JWS under one costs only its own signature.
///
/// Keyed twice: by the exact header segment, which needs no base64, JSON or DER parsing, and by
/// leaf, intermediate and root for headers that differ only in spelling. Only verified entries are
/// added, after a signature under them held, so untrusted input can neither fill the cache nor
/// evict a good chain. Evicts the least recently used. The lock covers taking a snapshot, never a
/// comparison or a signature.
final class ChainCache: Sendable {
    /// Capacity of each of the two (`design.md` §6).
    static let capacity = 64

    /// Cached data of a header.
    struct KnownHeader: Sendable {
        let chain: VerifiedChain
        /// Hash state after the header: the signed bytes begin with the header, which is most of a
        /// short JWS.
        let begun: SHA256Hasher
    }

    private final class Entry<Key: Sendable>: Sendable {
        let key: Key
        let chain: VerifiedChain
        let begun: SHA256Hasher
        let lastUse: Atomic<UInt64>

        init(
            key: Key, chain: VerifiedChain, begun: SHA256Hasher = SHA256Hasher(), use: UInt64
        ) {
            self.key = key
            self.chain = chain
            self.begun = begun
            lastUse = Atomic(use)
        }
    }

    private struct State {
        var headers: [Entry<[UInt8]>] = []
        var chains: [Entry<Digest>] = []
    }

    private let state = Mutex(State())
    private let uses = Atomic<UInt64>(0)

    init() {}

    /// The chain of an earlier header with exactly these bytes, and its hash state.
    func known(header: UnsafeBufferPointer<UInt8>) -> KnownHeader? {
        let entries = state.withLock { $0.headers }
        for entry in entries {
            // Headers of equal length differ early, in the leaf's serial number.
            let isSame = entry.key.withUnsafeBufferPointer { ByteSearch.areEqual($0, header) }
            guard isSame else { continue }
            touch(entry)
            return KnownHeader(chain: entry.chain, begun: entry.begun)
        }
        return nil
    }

    /// The chain of these certificates.
    func chain(key: Digest) -> VerifiedChain? {
        let entries = state.withLock { $0.chains }
        guard let entry = entries.first(where: { $0.key == key }) else { return nil }
        touch(entry)
        return entry.chain
    }

    /// Call only after a signature under this header was verified.
    func insert(_ chain: VerifiedChain, header: UnsafeBufferPointer<UInt8>) {
        var begun = SHA256Hasher()
        begun.update(header)
        let entry = Entry(key: Array(header), chain: chain, begun: begun, use: nextUse())
        state.withLock { state in
            guard !state.headers.contains(where: { $0.key == entry.key }) else { return }
            ChainCache.append(entry, to: &state.headers)
        }
    }

    /// Call only after a signature under the chain was verified.
    func insert(_ chain: VerifiedChain, key: Digest) {
        let entry = Entry(key: key, chain: chain, use: nextUse())
        state.withLock { state in
            guard !state.chains.contains(where: { $0.key == key }) else { return }
            ChainCache.append(entry, to: &state.chains)
        }
    }

    var headerCount: Int { state.withLock { $0.headers.count } }
    var chainCount: Int { state.withLock { $0.chains.count } }

    private func nextUse() -> UInt64 {
        uses.wrappingAdd(1, ordering: .relaxed).newValue
    }

    private func touch(_ entry: Entry<some Sendable>) {
        entry.lastUse.store(nextUse(), ordering: .relaxed)
    }

    private static func append<Key>(_ entry: Entry<Key>, to entries: inout [Entry<Key>]) {
        if entries.count >= capacity {
            let ages = entries.map { $0.lastUse.load(ordering: .relaxed) }
            if let oldest = ages.indices.min(by: { ages[$0] < ages[$1] }) {
                entries.remove(at: oldest)
            }
        }
        entries.append(entry)
        assert(entries.count <= capacity)
    }
}
