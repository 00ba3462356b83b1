/// An asynchronous FIFO lock.
package final class AsyncLock: Sendable {
    private let lock = KeyedAsyncLock()

    package init() {}

    /// Runs `body` exclusively. Not reentrant: a nested call deadlocks.
    package func pass<Value, Failure: Error>(
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await lock.pass("", body)
    }

    package var waitingCount: Int { lock.waitingCount("") }
}
