/// How often and how long a request is tried again.
public struct RetryPolicy: Sendable, Equatable {
    /// Attempts in all, the first one included.
    public var attempts: Int
    /// The first wait is at most this, each later one at most twice the one before.
    public var firstWaitMilliseconds: Int64
    /// No wait of our own choosing is longer.
    public var longestWaitMilliseconds: Int64
    /// All waits for one request together, those that Apple asks for included.
    public var budgetMilliseconds: Int64

    /// Six attempts within two minutes of waiting.
    public init(
        attempts: Int = 6, firstWaitMilliseconds: Int64 = 500,
        longestWaitMilliseconds: Int64 = 20_000, budgetMilliseconds: Int64 = 120_000
    ) {
        self.attempts = attempts
        self.firstWaitMilliseconds = firstWaitMilliseconds
        self.longestWaitMilliseconds = longestWaitMilliseconds
        self.budgetMilliseconds = budgetMilliseconds
    }

    /// The most that is waited after the `attempt`-th attempt, from 1.
    func bound(after attempt: Int) -> Int64 {
        var bound = firstWaitMilliseconds
        for _ in 1..<max(1, attempt) where bound < longestWaitMilliseconds { bound *= 2 }
        return min(bound, longestWaitMilliseconds)
    }
}
