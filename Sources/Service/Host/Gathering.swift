import Synchronization

/// Answers single questions many at a time: what is asked while others are being answered waits,
/// and is then answered together. A question alone waits for nobody. So a file is asked once for
/// many, where each asking costs more than the answer.
///
/// Whoever asks does the work for all who wait; there is no task of its own.
final class Gathering<Key: Sendable, Value: Sendable>: Sendable {
    /// The answers in the order of the keys.
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
        /// Answered by somebody else.
        case answered(Value)
        /// To answer with whoever waits by now.
        case lead
    }

    /// Questions answered together.
    static var maximumCount: Int { 64 }
    /// Groups answered at the same time: as many as files can be read on the usual cores.
    static var leaderCount: Int { 2 }

    init(_ work: @escaping Work) { self.work = work }

    /// Questions that wait to be answered together.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// The answer to one question.
    func value(_ key: Key) async -> Value {
        let mayLead = state.withLock { state in
            guard state.leaders < Gathering.leaderCount else { return false }
            state.leaders += 1
            return true
        }
        if mayLead { return await lead(key) }
        let turn = await withCheckedContinuation { continuation in
            let mustLead = state.withLock { state in
                // Whoever led may have finished meanwhile.
                guard state.leaders >= Gathering.leaderCount else {
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
            let group = Array(state.waiting.prefix(Gathering.maximumCount - 1))
            state.waiting.removeFirst(group.count)
            return group
        }
        let values = await work([key] + others.map(\.key))
        // The next group begins before this one's answers are told.
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
        precondition(values.count == others.count + 1, "Every question has its answer.")
        return values[0]
    }
}
