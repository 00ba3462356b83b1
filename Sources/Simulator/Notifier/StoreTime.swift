public import AppStore
import Foundation
import Synchronization

/// The time of a simulated store beside a real receiver: a multiple of the time of day, or none of
/// its own, when it is wherever the last delivery was.
public final class StoreTime: Sendable {
    private let start: Timestamp
    /// Seconds of the store in one of ours; nil: nothing is waited for.
    private let speed: Double?
    private let began = ContinuousClock.now
    private let reached: Mutex<Timestamp>

    /// A time that begins now at `start`.
    ///
    /// - Parameter speed: seconds of the store in one of ours, above 0; nil waits for nothing.
    public init(from start: Timestamp, speed: Double? = nil) {
        self.start = start
        self.speed = speed
        reached = Mutex(start)
    }

    /// Now, in the store.
    public var now: Timestamp {
        let known = reached.withLock { $0 }
        guard let speed else { return known }
        let (seconds, attoseconds) = (ContinuousClock.now - began).components
        let elapsed = (Double(seconds) + Double(attoseconds) / 1e18) * 1_000 * speed
        return max(known, start.advanced(byMilliseconds: StoreTime.whole(elapsed)))
    }

    /// Waits until it is that time in the store. Throws when the task is cancelled.
    public func reach(_ moment: Timestamp) async throws {
        if let speed {
            let left = Double(moment.milliseconds(since: now)) / speed
            if left > 0 { try await Task.sleep(for: .milliseconds(StoreTime.whole(left))) }
        }
        try Task.checkCancellation()
        reached.withLock { $0 = max($0, moment) }
    }

    /// The next whole number, within what a century has milliseconds.
    private static func whole(_ milliseconds: Double) -> Int64 {
        Int64(min(max(milliseconds.rounded(.up), 0), 3_200_000_000_000))
    }
}
