import Synchronization

/// Reads for many callers together: keys that arrive while a batch is read form the next one, so
/// that one transaction, one change of threads and one timer serve all that wait. The callers bound
/// how many these are.
final class ReadBatcher<Key: Sendable, Value: Sendable>: Sendable {
    /// Returns the values in the order of the keys.
    typealias Work = @Sendable ([Key]) async -> [Value]

    private struct Waiter: Sendable {
        let key: Key
        let deadline: ContinuousClock.Instant
        let continuation: CheckedContinuation<Value?, Never>
    }

    private struct State: Sendable {
        /// Callers without a value, by order of arrival.
        var waiters: [Int: Waiter] = [:]
        var arrivedCount = 0
        /// Of these, callers that a batch took, or whose deadline had passed.
        var takenCount = 0
        var isReading = false
        var isTimed = false
    }

    private let state = Mutex(State())

    /// How often deadlines are compared with the clock while callers wait.
    static var timerInterval: Duration { .milliseconds(10) }

    /// Callers without a value.
    var waitingCount: Int { state.withLock { $0.waiters.count } }

    /// The value of a key; nil where it was not read by the deadline.
    ///
    /// - Parameter work: reads batches where no other caller's does.
    func value(
        _ key: Key, by deadline: ContinuousClock.Instant, _ work: @escaping Work
    ) async -> Value? {
        await withCheckedContinuation { (continuation: CheckedContinuation<Value?, Never>) in
            let (mustRead, mustTime) = state.withLock { state in
                state.waiters[state.arrivedCount] = Waiter(
                    key: key, deadline: deadline, continuation: continuation)
                state.arrivedCount += 1
                defer { (state.isReading, state.isTimed) = (true, true) }
                return (!state.isReading, !state.isTimed)
            }
            if mustRead { Task { await self.read(work) } }
            if mustTime { Task { await self.expire() } }
        }
    }

    private func read(_ work: Work) async {
        while let batch = nextBatch() {
            let values = await work(batch.map { $0.key })
            precondition(values.count == batch.count, "One value per key.")
            let waiting = state.withLock { state in
                batch.map { state.waiters.removeValue(forKey: $0.number)?.continuation }
            }
            for (continuation, value) in zip(waiting, values) {
                continuation?.resume(returning: value)
            }
        }
    }

    /// The callers that no batch has taken; nil, and reading ends, where none wait.
    private func nextBatch() -> [(number: Int, key: Key)]? {
        state.withLock { state in
            var batch: [(number: Int, key: Key)] = []
            for number in state.takenCount..<state.arrivedCount {
                guard let waiter = state.waiters[number] else { continue }
                batch.append((number, waiter.key))
            }
            state.takenCount = state.arrivedCount
            state.isReading = !batch.isEmpty
            return batch.isEmpty ? nil : batch
        }
    }

    /// Answers the callers whose deadline passes before the next check, as long as any wait.
    private func expire() async {
        var isTimed = true
        while isTimed {
            try? await Task.sleep(for: ReadBatcher.timerInterval)
            let next = ContinuousClock.now + ReadBatcher.timerInterval
            let (late, hasMore) = state.withLock { state in
                let late = state.waiters.filter { $0.value.deadline <= next }
                for number in late.keys { state.waiters[number] = nil }
                state.isTimed = !state.waiters.isEmpty
                return (late.values.map { $0.continuation }, state.isTimed)
            }
            for continuation in late { continuation.resume(returning: nil) }
            isTimed = hasMore
        }
    }
}
