internal import Projection
import Synchronization

/// Cache of recent reads, valid until another state is published; a hit needs neither a file nor
/// another thread. A full cache is emptied.
final class HotReadings<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let state = Mutex(State())
    private let maximumCost: Int
    /// The cost of a value; one above `maximumCost` is not cached.
    private let cost: @Sendable (Value) -> Int

    private struct State {
        var source: Source?
        var values: [Key: Value] = [:]
        var cost = 0
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
        state.withLock { $0.source == Source(snapshot) ? $0.values[key] : nil }
    }

    /// Caches a value read from a state, unless the cache has moved on to a newer one.
    func keep(_ value: Value, for key: Key, of snapshot: LedgerSnapshot) {
        let source = Source(snapshot)
        let cost = cost(value)
        guard cost <= maximumCost else { return }
        state.withLock { state in
            if state.source != source {
                // A slow reader must not discard newer entries, nor keep what was erased since.
                if let present = state.source, present.position > source.position { return }
                state = State(source: source)
            }
            guard state.values[key] == nil else { return }
            if state.cost + cost > maximumCost { state = State(source: source) }
            state.values[key] = value
            state.cost += cost
        }
    }

    /// Empties the cache. Values read from an earlier state are not cached afterwards.
    func removeAll(before snapshot: LedgerSnapshot) {
        let source = Source(snapshot)
        state.withLock { $0 = State(source: source) }
    }
}
