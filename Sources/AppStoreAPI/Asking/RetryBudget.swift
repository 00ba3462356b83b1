/// What is left of the attempts and the waiting of one request. Pure: chance and waiting are the
/// caller's.
struct RetryBudget: Sendable {
    let policy: RetryPolicy
    /// Attempts made.
    private(set) var attempts = 0
    private(set) var waitedMilliseconds: Int64 = 0

    init(_ policy: RetryPolicy) { self.policy = policy }

    mutating func beginAttempt() { attempts += 1 }

    /// How long to wait before the next attempt; nil when there is none.
    ///
    /// - Parameters:
    ///   - least: what Apple asks for; nil leaves it to us. Beyond it some of our own is added, so
    ///     that not everybody comes back at once.
    ///   - chance: a number of the range.
    mutating func wait(
        atLeast least: Int64?, _ chance: (ClosedRange<Int64>) -> Int64
    ) -> Int64? {
        guard attempts < policy.attempts else { return nil }
        let jitter = max(0, chance(0...policy.bound(after: attempts)))
        let left = policy.budgetMilliseconds - waitedMilliseconds
        let asked = max(0, least ?? 0)
        guard asked <= left, left > 0 else { return nil }
        let wait = min(asked + jitter, left)
        waitedMilliseconds += wait
        return wait
    }
}
