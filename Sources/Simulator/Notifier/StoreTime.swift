public import AppStore
import Foundation
import Synchronization

/// The time of a simulated store beside a real receiver: a multiple of the time of day, or none of
/// its own, when it is wherever the last delivery was. It stops at its end, where it has one.
public final class StoreTime: Sendable {
    private let start: Timestamp
    /// Seconds of the store in one of ours; nil: nothing is waited for.
    private let speed: Double?
    /// Where it stops; nil: nowhere.
    private let end: Timestamp?
    /// What has passed of our time since it began.
    private let elapsed: @Sendable () -> Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    private let reached: Mutex<Timestamp>

    /// A time that begins now at `start`.
    ///
    /// - Parameters:
    ///   - speed: seconds of the store in one of ours, above 0; nil waits for nothing.
    ///   - end: where it stops; nil, or a time before `start`: it goes on, or never moves.
    ///   - clock: tells our time.
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

    /// Now, in the store.
    public var now: Timestamp {
        let known = reached.withLock { $0 }
        guard let speed else { return known }
        let (seconds, attoseconds) = elapsed().components
        let passed = (Double(seconds) + Double(attoseconds) / 1e18) * 1_000 * speed
        return bounded(max(known, start.advanced(byMilliseconds: StoreTime.whole(passed))))
    }

    /// Waits until it is that time in the store, or its time has come to its end. Throws when the
    /// task is cancelled.
    public func reach(_ moment: Timestamp) async throws {
        let moment = bounded(moment)
        if let speed {
            let left = Double(moment.milliseconds(since: now)) / speed
            if left > 0 { try await sleep(.milliseconds(StoreTime.whole(left))) }
        }
        try Task.checkCancellation()
        reached.withLock { $0 = max($0, moment) }
    }

    private func bounded(_ moment: Timestamp) -> Timestamp { end.map { min(moment, $0) } ?? moment }

    /// The next whole number, within what a century has milliseconds.
    private static func whole(_ milliseconds: Double) -> Int64 {
        Int64(min(max(milliseconds.rounded(.up), 0), 3_200_000_000_000))
    }
}
