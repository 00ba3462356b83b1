internal import Projection
import Synchronization

/// What was read lately, for as long as it is true: until another state is published. What is asked
/// again before then needs no file, and so no other thread.
///
/// Two generations: what is asked for again outlives what was asked for once, and room has a bound.
final class HotReadings<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let state = Mutex(State())
    /// Room of one generation.
    private let maximumCost: Int
    /// How much room a value takes; more than a generation's is never kept.
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

    /// What was read of this state; nil when it must be read.
    func value(_ key: Key, of snapshot: LedgerSnapshot) -> Value? {
        state.withLock { state in
            guard state.source == Source(snapshot) else { return nil }
            if let value = state.young[key] { return value }
            guard let value = state.old[key] else { return nil }
            add(value, key, &state)
            return value
        }
    }

    /// Keeps what was read of a state, unless another one is asked about by now.
    func keep(_ value: Value, for key: Key, of snapshot: LedgerSnapshot) {
        let source = Source(snapshot)
        state.withLock { state in
            if state.source != source {
                // A reader that was slow must not throw away what is newer.
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
