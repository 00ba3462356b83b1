import AppStore
import Synchronization

/// The time of a run: it changes only when set, and never decreases.
final class VirtualTime: Sendable {
    private let milliseconds: Mutex<Int64>

    init(_ start: Timestamp) { milliseconds = Mutex(start.milliseconds) }

    var now: Timestamp { Timestamp(milliseconds: milliseconds.withLock { $0 }) }

    func reach(_ moment: Timestamp) {
        milliseconds.withLock { $0 = max($0, moment.milliseconds) }
    }

    func advance(milliseconds delta: Int64) {
        milliseconds.withLock { $0 += max(0, delta) }
    }
}
