import AppStore
import AppStoreAPI
import Synchronization

/// A clock that advances only by waiting.
final class WaitingClock: RequestClock {
    private let time: Mutex<Timestamp>
    private let start: Timestamp

    init(_ start: Timestamp) {
        self.start = start
        time = Mutex(start)
    }

    var now: Timestamp { time.withLock { $0 } }
    var elapsedMilliseconds: Int64 { now.milliseconds(since: start) }

    func sleep(milliseconds: Int64) async throws(CancellationError) {
        guard !Task.isCancelled else { throw CancellationError() }
        time.withLock { $0 = $0.advanced(byMilliseconds: milliseconds) }
    }
}
