public import AppStore
import Synchronization

/// The clock of a simulated store: a multiple of real time, or, without a speed, the time of the
/// last delivery. It stops at its end, if it has one.
public final class SimulatedClock: Sendable {
    private let start: Timestamp
    /// Simulated seconds per second; nil: no waiting.
    private let speed: Double?
    /// Where it stops; nil: never.
    private let end: Timestamp?
    /// Real time since it started.
    private let elapsed: @Sendable () -> Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    private let reached: Mutex<Timestamp>

    /// A clock that starts now at `start`, with `speed` simulated seconds per second, above 0 (nil
    /// waits for nothing), and stops at `end`; with one before `start` it never moves.
    public init<C: Clock>(
        from start: Timestamp, speed: Double? = nil, until end: Timestamp? = nil,
        clock: C = ContinuousClock()
    ) where C.Duration == Duration {
        self.start = start
        self.speed = speed
        self.end = end.map { max($0, start) }
        let began = clock.now
        elapsed = { began.duration(to: clock.now) }
        sleep = { try await clock.sleep(until: clock.now.advanced(by: $0), tolerance: nil) }
        reached = Mutex(start)
    }

    /// The simulated time.
    public var now: Timestamp {
        let known = reached.withLock { $0 }
        guard let speed else { return known }
        let (seconds, attoseconds) = elapsed().components
        let passed = (Double(seconds) + Double(attoseconds) / 1e18) * 1_000 * speed
        return bounded(max(known, start.advanced(byMilliseconds: SimulatedClock.whole(passed))))
    }

    /// Waits until the simulated time reaches `moment` or its end. Throws when the task is
    /// cancelled.
    public func reach(_ moment: Timestamp) async throws {
        let moment = bounded(moment)
        if let speed {
            let left = Double(moment.milliseconds(since: now)) / speed
            if left > 0 { try await sleep(.milliseconds(SimulatedClock.whole(left))) }
        }
        try Task.checkCancellation()
        reached.withLock { $0 = max($0, moment) }
    }

    private func bounded(_ moment: Timestamp) -> Timestamp { end.map { min(moment, $0) } ?? moment }

    /// Rounded up, and limited to the milliseconds of a century.
    private static func whole(_ milliseconds: Double) -> Int64 {
        Int64(min(max(milliseconds.rounded(.up), 0), 3_200_000_000_000))
    }
}
