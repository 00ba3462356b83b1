import AppStore
import Queries
import Synchronization

/// A clock that stands until a test moves it.
final class ManualClock: ServiceClock {
    private let time: Mutex<Timestamp>

    init(_ start: Timestamp) { time = Mutex(start) }

    var now: Timestamp { time.withLock { $0 } }

    func set(_ moment: Timestamp) { time.withLock { $0 = moment } }

    func advance(byMilliseconds delta: Int64) {
        time.withLock { $0 = $0.advanced(byMilliseconds: delta) }
    }

    /// Waiting takes no time; whoever waits only lets others go on.
    func sleep(milliseconds: Int64) async throws(CancellationError) {
        await Task.yield()
        if Task.isCancelled { throw CancellationError() }
    }
}
