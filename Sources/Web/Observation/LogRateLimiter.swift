import Synchronization

/// Limits the log entries per code: beyond the limit, entries that any client can cause are
/// counted, not written.
final class LogRateLimiter: Sendable {
    private let entries = Mutex<[String: Entry]>([:])
    private let now: @Sendable () -> ContinuousClock.Instant

    private struct Entry {
        var second: ContinuousClock.Instant
        var written = 0
        var suppressed = 0
    }

    /// Entries of one code per second.
    static let entriesPerSecond = 10

    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }) {
        self.now = now
    }

    /// The number of entries of the code suppressed before this one; nil when this one is
    /// suppressed too.
    ///
    /// - Parameter code: one of a fixed set, since each is kept in memory.
    func admit(_ code: String) -> Int? {
        entries.withLock { entries in
            let moment = now()
            var entry = entries[code] ?? Entry(second: moment)
            if entry.second.duration(to: moment) > .seconds(1) {
                entry.second = moment
                entry.written = 0
            }
            defer { entries[code] = entry }
            guard entry.written < LogRateLimiter.entriesPerSecond else {
                entry.suppressed += 1
                return nil
            }
            entry.written += 1
            defer { entry.suppressed = 0 }
            return entry.suppressed
        }
    }
}
