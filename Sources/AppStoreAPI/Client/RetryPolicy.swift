/// Limits on the retries of a request.
public struct RetryPolicy: Sendable, Equatable {
    /// Number of attempts, including the first.
    public var attempts: Int
    /// Upper bound of the first wait; it doubles for each later one.
    public var firstWaitMilliseconds: Int64
    /// Upper bound of every wait that Apple does not request.
    public var longestWaitMilliseconds: Int64
    /// Upper bound of all waits for one request together, including those that Apple requests.
    public var budgetMilliseconds: Int64

    /// Six attempts and two minutes of waiting.
    public init(
        attempts: Int = 6, firstWaitMilliseconds: Int64 = 500,
        longestWaitMilliseconds: Int64 = 20_000, budgetMilliseconds: Int64 = 120_000
    ) {
        self.attempts = attempts
        self.firstWaitMilliseconds = firstWaitMilliseconds
        self.longestWaitMilliseconds = longestWaitMilliseconds
        self.budgetMilliseconds = budgetMilliseconds
    }

    /// Upper bound of the wait after the `attempt`-th attempt, counted from 1.
    func bound(after attempt: Int) -> Int64 {
        var bound = firstWaitMilliseconds
        for _ in 1..<max(1, attempt) where bound < longestWaitMilliseconds { bound *= 2 }
        return min(bound, longestWaitMilliseconds)
    }
}
