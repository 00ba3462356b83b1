public import AppStore
import Synchronization

/// The clock of a simulated store: the time of the last delivery.
public final class SimulatedClock: Sendable {
    private let reached: Mutex<Timestamp>

    public init(from start: Timestamp) { reached = Mutex(start) }

    /// The simulated time.
    public var now: Timestamp { reached.withLock { $0 } }

    /// Moves the time to `moment`, unless it is later already.
    public func reach(_ moment: Timestamp) { reached.withLock { $0 = max($0, moment) } }
}
