/// The remaining attempts and waiting time of one request. Pure: randomness and sleeping are the
/// caller's.
struct RetryBudget: Sendable {
    let policy: RetryPolicy
    /// Number of attempts so far.
    private(set) var attempts = 0
    private(set) var waitedMilliseconds: Int64 = 0

    init(_ policy: RetryPolicy) { self.policy = policy }

    mutating func beginAttempt() { attempts += 1 }

    /// The wait before the next attempt; nil if there is none. Jitter, drawn by `chance`, is added
    /// to the minimum that Apple requests, so that clients do not return at the same time.
    mutating func wait(
        atLeast least: Int64?, _ chance: (ClosedRange<Int64>) -> Int64
    ) -> Int64? {
        guard attempts < policy.attempts else { return nil }
        let jitter = max(0, chance(0...policy.bound(after: attempts)))
        let left = policy.budgetMilliseconds - waitedMilliseconds
        let minimum = max(0, least ?? 0)
        guard minimum <= left, left > 0 else { return nil }
        let wait = min(minimum + jitter, left)
        waitedMilliseconds += wait
        return wait
    }
}
