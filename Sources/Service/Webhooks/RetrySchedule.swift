import AppStore
internal import LedgerStore

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

    /// The changes whose next attempt is due. The longest due come first, so that none waits behind
    /// others that came due again; times of a clock that was ahead count by their distance.
    func due(_ changes: [WaitingChange], at now: Timestamp) -> [WaitingChange] {
        func distance(_ change: WaitingChange) -> UInt64 {
            change.nextAt.milliseconds(since: now).magnitude
        }
        return changes.filter { !isAhead($0.nextAt, of: now) }
            .sorted { (distance($1), $0.chainPlace) < (distance($0), $1.chainPlace) }
    }

    /// Whether a change first attempted then is given up.
    static func isOver(since first: Timestamp, at now: Timestamp) -> Bool {
        now.milliseconds(since: first) >= WebhookLimits.retryMilliseconds
    }
}
