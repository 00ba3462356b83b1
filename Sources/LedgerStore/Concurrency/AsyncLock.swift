internal import Synchronization

/// An asynchronous FIFO lock, or one per key; keys do not wait for each other.
package final class AsyncLock: Sendable {
    package init() {}

    /// The waiters of each key in use.
    private let waiting = Mutex<[String: [CheckedContinuation<Void, Never>]]>([:])

    /// Runs `body` with exclusive access to its key. Not reentrant: nested calls may deadlock.
    package func pass<Value, Failure: Error>(
        _ key: String = "", _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        await withCheckedContinuation { continuation in
            let isFree = waiting.withLock { waiting in
                guard waiting[key] == nil else {
                    waiting[key]?.append(continuation)
                    return false
                }
                waiting[key] = []
                return true
            }
            if isFree { continuation.resume() }
        }
        defer { leave(key) }
        return try await body()
    }

    package var waitingCount: Int { waiting.withLock { $0[""]?.count ?? 0 } }

    private func leave(_ key: String) {
        let next = waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
            guard waiting[key]?.isEmpty == false else {
                waiting[key] = nil
                return nil
            }
            return waiting[key]?.removeFirst()
        }
        next?.resume()
    }
}
