/// The result of work, or nil once the deadline has passed; the work then goes on unobserved.
func first<Value: Sendable>(
    by deadline: ContinuousClock.Instant, _ work: @escaping @Sendable () async -> Value
) async -> Value? {
    let (results, continuation) = AsyncStream.makeStream(
        of: Value?.self, bufferingPolicy: .bufferingOldest(1))
    let working = Task {
        continuation.yield(await work())
        continuation.finish()
    }
    let timer = Task {
        try? await Task.sleep(until: deadline, clock: .continuous)
        continuation.yield(nil)
        continuation.finish()
    }
    defer {
        working.cancel()
        timer.cancel()
    }
    for await result in results { return result }
    return nil
}
