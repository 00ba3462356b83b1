internal import Projection
import Synchronization

/// Cache of recent reads, valid until another state is published; a hit needs neither a file nor
/// another thread.
///
/// Two generations bound its size and keep entries that are read repeatedly.
final class HotReadings<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let state = Mutex(State())
    /// Maximum cost of one generation.
    private let maximumCost: Int
    /// The cost of a value; one that costs more than a generation is not cached.
    private let cost: @Sendable (Value) -> Int

    private struct State {
        var source: Source?
        var young: [Key: Value] = [:]
        var old: [Key: Value] = [:]
        var youngCost = 0
    }

    /// One published state.
    private struct Source: Equatable {
        let facts: ObjectIdentifier
        let projections: ObjectIdentifier
        let position: Int64

        init(_ snapshot: LedgerSnapshot) {
            facts = ObjectIdentifier(snapshot.facts)
            projections = ObjectIdentifier(snapshot.projections)
            position = snapshot.position
        }
    }

    init(maximumCost: Int, cost: @escaping @Sendable (Value) -> Int = { _ in 1 }) {
        self.maximumCost = maximumCost
        self.cost = cost
    }

    /// The value read from this state; nil when it is not cached.
    func value(_ key: Key, of snapshot: LedgerSnapshot) -> Value? {
        state.withLock { state in
            guard state.source == Source(snapshot) else { return nil }
            if let value = state.young[key] { return value }
            guard let value = state.old[key] else { return nil }
            add(value, key, &state)
            return value
        }
    }

    /// Caches a value read from a state, unless the cache has moved on to a newer one.
    func keep(_ value: Value, for key: Key, of snapshot: LedgerSnapshot) {
        let source = Source(snapshot)
        state.withLock { state in
            if state.source != source {
                // A slow reader must not discard newer entries.
                if let present = state.source, present.facts == source.facts,
                    present.projections == source.projections, present.position > source.position
                {
                    return
                }
                state = State(source: source)
            }
            add(value, key, &state)
        }
    }

    /// Forgets every value.
    func removeAll() { state.withLock { $0 = State() } }

    private func add(_ value: Value, _ key: Key, _ state: inout State) {
        let cost = cost(value)
        guard cost <= maximumCost, state.young[key] == nil else { return }
        if state.youngCost + cost > maximumCost {
            state.old = state.young
            state.young = [:]
            state.youngCost = 0
        }
        state.young[key] = value
        state.youngCost += cost
    }
}
