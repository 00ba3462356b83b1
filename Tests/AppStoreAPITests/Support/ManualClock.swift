import AppStore
import AppStoreAPI
import Synchronization

/// A clock that advances only when a task waits: by the time of the wait.
final class ManualClock: RequestClock {
    private let state: Mutex<(now: Timestamp, elapsed: Int64, waits: [Int64])>

    /// 2026-06-01, UTC.
    static let start = Timestamp(milliseconds: 1_780_272_000_000)

    init(_ start: Timestamp = ManualClock.start) { state = Mutex((start, 0, [])) }

    var now: Timestamp { state.withLock { $0.now } }
    var elapsedMilliseconds: Int64 { state.withLock { $0.elapsed } }
    /// Every wait so far, in order.
    var waits: [Int64] { state.withLock { $0.waits } }

    func advance(milliseconds: Int64) {
        state.withLock { state in
            state.now = state.now.advanced(byMilliseconds: milliseconds)
            state.elapsed += milliseconds
        }
    }

    func sleep(milliseconds: Int64) async throws(CancellationError) {
        state.withLock { $0.waits.append(milliseconds) }
        advance(milliseconds: milliseconds)
    }
}
