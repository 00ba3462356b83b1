import AppStore
import Synchronization

/// A clock that a test moves.
final class MovedClock: Sendable {
    private let time: Mutex<Timestamp>

    init(_ time: Timestamp = ServedPlace.now) { self.time = Mutex(time) }

    var now: Timestamp { time.withLock { $0 } }

    func move(to time: Timestamp) { self.time.withLock { $0 = time } }

    func jump(byDays days: Int64) {
        time.withLock { $0 = $0.advanced(byMilliseconds: days * 86_400_000) }
    }
}
