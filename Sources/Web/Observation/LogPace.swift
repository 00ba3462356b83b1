import Synchronization

/// How many entries of one code are written to the log: what anybody can bring about as often as
/// they like is counted, not written.
final class LogPace: Sendable {
    private let entries = Mutex<[String: Entry]>([:])
    private let now: @Sendable () -> ContinuousClock.Instant

    private struct Entry {
        var second: ContinuousClock.Instant
        var written = 0
        var suppressed = 0
    }

    /// Entries of one code in a second.
    static let entriesPerSecond = 10

    /// - Parameter now: the moment of each entry.
    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }) {
        self.now = now
    }

    /// How many of the code were not written before this one; nil when this one is not either.
    ///
    /// - Parameter code: one of a fixed set, since each is remembered.
    func admit(_ code: String) -> Int? {
        entries.withLock { entries in
            let moment = now()
            var entry = entries[code] ?? Entry(second: moment)
            if entry.second.duration(to: moment) > .seconds(1) {
                entry.second = moment
                entry.written = 0
            }
            defer { entries[code] = entry }
            guard entry.written < LogPace.entriesPerSecond else {
                entry.suppressed += 1
                return nil
            }
            entry.written += 1
            defer { entry.suppressed = 0 }
            return entry.suppressed
        }
    }
}
