internal import Synchronization

/// An asynchronous FIFO lock.
package final class AsyncLock: Sendable {

    package init() {
    }
    private let state = Mutex(State())

    private struct State {
        var isTaken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// Runs `body` exclusively. Not reentrant: a nested call deadlocks.
    package func pass<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.isTaken else {
                    state.isTaken = true
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
        defer { leave() }
        return try await body()
    }

    /// The number of waiters.
    package var waitingCount: Int { state.withLock { $0.waiting.count } }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.waiting.isEmpty else {
                state.isTaken = false
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
