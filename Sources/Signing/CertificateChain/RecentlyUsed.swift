internal import Synchronization

/// A cache that evicts the least recently used value. The lock covers taking a snapshot of the
/// entries, never a comparison of keys.
final class RecentlyUsed<Key: Equatable & Sendable, Value: Sendable>: Sendable {
    /// Capacity of the caches of chains (`Log.md` §6).
    static var capacity: Int { 64 }

    private final class Entry: Sendable {
        let key: Key
        let value: Value
        let lastUse: Atomic<UInt64>

        init(_ key: Key, _ value: Value, use: UInt64) {
            self.key = key
            self.value = value
            lastUse = Atomic(use)
        }
    }

    private let entries: Mutex<[Entry]> = Mutex([])
    private let uses = Atomic<UInt64>(0)

    init() {}

    func value(where matches: (Key) -> Bool) -> Value? {
        let entries = entries.withLock { $0 }
        guard let entry = entries.first(where: { matches($0.key) }) else { return nil }
        entry.lastUse.store(nextUse(), ordering: .relaxed)
        return entry.value
    }

    func value(_ key: Key) -> Value? { value { $0 == key } }

    /// Call only after a signature that rests on the value was verified: untrusted input must
    /// neither fill the cache nor evict a good value.
    func insert(_ value: Value, key: Key) {
        let entry = Entry(key, value, use: nextUse())
        entries.withLock { entries in
            guard !entries.contains(where: { $0.key == key }) else { return }
            if entries.count >= RecentlyUsed.capacity {
                let ages = entries.map { $0.lastUse.load(ordering: .relaxed) }
                if let oldest = ages.indices.min(by: { ages[$0] < ages[$1] }) {
                    entries.remove(at: oldest)
                }
            }
            entries.append(entry)
            assert(entries.count <= RecentlyUsed.capacity)
        }
    }

    var count: Int { entries.withLock { $0.count } }

    private func nextUse() -> UInt64 { uses.wrappingAdd(1, ordering: .relaxed).newValue }
}
