/// A bound on how long something may take.
enum Deadline {
    struct Passed: Error {}

    /// The result of `body`, which is cancelled at the deadline.
    ///
    /// Throws `Passed`, or what `body` throws.
    static func run<Value: Sendable>(
        until deadline: ContinuousClock.Instant,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value.self) { group in
            defer { group.cancelAll() }
            group.addTask(operation: body)
            group.addTask {
                try await Task.sleep(until: deadline, clock: .continuous)
                throw Passed()
            }
            guard let value = try await group.next() else { throw Passed() }
            return value
        }
    }
}
