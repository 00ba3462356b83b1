import AppStore

/// Exponential backoff with jitter.
struct RetrySchedule: Sendable {
    /// 0 ..< 1.
    let chance: @Sendable () -> Double

    /// The delay after this many failures (from 1), in milliseconds.
    func delay(after failures: Int64, longest: Int64 = WebhookLimits.longestDelayMilliseconds)
        -> Int64
    {
        var delay = WebhookLimits.firstDelayMilliseconds
        for _ in 1..<max(1, min(failures, 32)) {
            delay = min(delay * WebhookLimits.factor, longest)
        }
        let span = delay * WebhookLimits.jitterPercent / 100
        return delay - span + Int64(Double(2 * span) * chance())
    }

    /// Whether the time of a scheduled attempt is in the future. A time further ahead than any
    /// delay was set by a clock that was ahead, and counts as reached.
    func isAhead(_ moment: Timestamp, of now: Timestamp) -> Bool {
        now < moment && moment.milliseconds(since: now) <= WebhookLimits.furthestMilliseconds
    }

    /// Whether a change first attempted then is given up.
    static func isOver(since first: Timestamp, at now: Timestamp) -> Bool {
        now.milliseconds(since: first) >= WebhookLimits.retryMilliseconds
    }
}
