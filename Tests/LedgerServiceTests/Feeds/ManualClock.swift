import AppStore
import Queries
import Synchronization

/// A clock that a test moves.
final class ManualClock: ServiceClock {
    private let time: Mutex<Timestamp>

    init(_ start: Timestamp) { time = Mutex(start) }

    var now: Timestamp { time.withLock { $0 } }

    func set(_ moment: Timestamp) { time.withLock { $0 = moment } }

    func advance(byMilliseconds delta: Int64) {
        time.withLock { $0 = $0.advanced(byMilliseconds: delta) }
    }

    /// Sleeping takes no time; it only yields.
    func sleep(milliseconds: Int64) async throws(CancellationError) {
        await Task.yield()
        if Task.isCancelled { throw CancellationError() }
    }
}
