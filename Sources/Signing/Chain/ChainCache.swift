internal import AppStore
internal import Synchronization

/// Chains that have been verified, so that the next JWS under one costs only its own signature.
///
/// Two ways in: by the exact header segment, which needs no base64, JSON or DER at all, and by
/// leaf, intermediate and root when only the header's spelling differs. Only what has verified is
/// kept, so a stranger can neither fill it nor push out a good chain: a header and a chain enter
/// after a signature under them held. The least recently used goes first. The lock covers the
/// look-up of a snapshot, never a comparison or a signature.
final class ChainCache: Sendable {
    /// Upper bound of each of the two (`design.md` §6).
    static let capacity = 64

    /// What is known of a header that was seen before.
    struct KnownHeader: Sendable {
        let chain: VerifiedChain
        /// Has seen the header: what is signed begins with it, and it is most of a short one.
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

    /// The chain of an earlier header with exactly these bytes, and its digest so far.
    func known(header: UnsafeBufferPointer<UInt8>) -> KnownHeader? {
        let entries = state.withLock { $0.headers }
        for entry in entries {
            // Headers of one length differ early, in the leaf's serial number.
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

    /// Call only when a signature under this very header has been verified.
    func insert(_ chain: VerifiedChain, header: UnsafeBufferPointer<UInt8>) {
        var begun = SHA256Hasher()
        begun.update(header)
        let entry = Entry(key: Array(header), chain: chain, begun: begun, use: nextUse())
        state.withLock { state in
            guard !state.headers.contains(where: { $0.key == entry.key }) else { return }
            ChainCache.append(entry, to: &state.headers)
        }
    }

    /// Call only when a signature under the chain has been verified.
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
