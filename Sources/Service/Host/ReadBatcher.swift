import Synchronization

/// Batches single reads: keys that arrive while a batch is being read wait and form the next batch,
/// so that one file access serves many where each access costs more than the read. A single key is
/// read without waiting.
///
/// The callers do the work; there is no task of its own.
final class ReadBatcher<Key: Sendable, Value: Sendable>: Sendable {
    /// Returns the values in the order of the keys.
    typealias Work = @Sendable ([Key]) async -> [Value]

    private let work: Work
    private let state = Mutex(State())

    private struct State {
        var waiting: [Waiter] = []
        var leaders = 0
    }

    private struct Waiter {
        let key: Key
        let continuation: CheckedContinuation<Turn, Never>
    }

    private enum Turn {
        /// Read by another caller.
        case answered(Value)
        /// The caller is to read the next batch.
        case lead
    }

    /// Maximum keys in a batch.
    static var maximumCount: Int { 64 }
    /// Batches read concurrently: as many files as the usual number of cores can read.
    static var leaderCount: Int { 2 }

    init(_ work: @escaping Work) { self.work = work }

    /// Keys waiting for the next batch.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// The value of one key.
    func value(_ key: Key) async -> Value {
        let mayLead = state.withLock { state in
            guard state.leaders < ReadBatcher.leaderCount else { return false }
            state.leaders += 1
            return true
        }
        if mayLead { return await lead(key) }
        let turn = await withCheckedContinuation { continuation in
            let mustLead = state.withLock { state in
                // A leader may have finished meanwhile.
                guard state.leaders >= ReadBatcher.leaderCount else {
                    state.leaders += 1
                    return true
                }
                state.waiting.append(Waiter(key: key, continuation: continuation))
                return false
            }
            if mustLead { continuation.resume(returning: .lead) }
        }
        return switch turn {
        case .answered(let value): value
        case .lead: await lead(key)
        }
    }

    private func lead(_ key: Key) async -> Value {
        let others = state.withLock { state in
            let group = Array(state.waiting.prefix(ReadBatcher.maximumCount - 1))
            state.waiting.removeFirst(group.count)
            return group
        }
        let values = await work([key] + others.map(\.key))
        // The next batch starts before this one's values are handed out.
        let next = state.withLock { state -> Waiter? in
            guard !state.waiting.isEmpty else {
                state.leaders -= 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.continuation.resume(returning: .lead)
        for (other, value) in zip(others, values.dropFirst()) {
            other.continuation.resume(returning: .answered(value))
        }
        precondition(values.count == others.count + 1, "One value per key.")
        return values[0]
    }
}
