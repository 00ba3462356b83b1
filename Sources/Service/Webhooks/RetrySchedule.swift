import AppStore

/// When to try again: exponentially later, moved by chance so that many do not come at once.
struct RetrySchedule: Sendable {
    /// 0 ..< 1.
    let chance: @Sendable () -> Double

    /// The delay after so many failures (from 1), in milliseconds.
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

    /// Whether a moment that was set for another attempt is still to come. One that is further ahead
    /// than any delay was set by a clock that was ahead, and has come.
    func isAhead(_ moment: Timestamp, of now: Timestamp) -> Bool {
        now < moment && moment.milliseconds(since: now) <= WebhookLimits.furthestMilliseconds
    }

    /// Whether a change that was first tried then is given up.
    static func isOver(since first: Timestamp, at now: Timestamp) -> Bool {
        now.milliseconds(since: first) >= WebhookLimits.retryMilliseconds
    }
}
