internal import Synchronization

/// A cache that evicts the least recently used value.
final class RecentlyUsed<Key: Equatable & Sendable, Value: Sendable>: Sendable {
    /// Capacity of the caches of chains (`Log.md` §6).
    static var capacity: Int { 64 }

    /// In order of use, the last one at the end.
    private let entries: Mutex<[(key: Key, value: Value)]> = Mutex([])

    func value(where matches: (Key) -> Bool) -> Value? {
        entries.withLock { entries in
            guard let place = entries.lastIndex(where: { matches($0.key) }) else { return nil }
            let entry = entries[place]
            if place != entries.count - 1 { entries.append(entries.remove(at: place)) }
            return entry.value
        }
    }

    func value(_ key: Key) -> Value? { value { $0 == key } }

    /// Call only after a signature that rests on the value was verified: untrusted input must
    /// neither fill the cache nor evict a good value.
    func insert(_ value: Value, key: Key) {
        entries.withLock { entries in
            guard !entries.contains(where: { $0.key == key }) else { return }
            if entries.count >= RecentlyUsed.capacity { entries.removeFirst() }
            entries.append((key, value))
        }
    }

    var count: Int { entries.withLock { $0.count } }
}
