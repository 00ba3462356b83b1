import AppStore
import AppStoreAPI
import Queries
import Synchronization

/// A clock that a test moves.
package final class ManualClock: RequestClock, ServiceClock {
    /// What waiting does to the time.
    package enum Sleeping: Sendable {
        /// Nothing: only the test moves it.
        case yields
        /// It advances by the time of the wait.
        case advances
    }

    private let state: Mutex<(now: Timestamp, elapsed: Int64, waits: [Int64])>
    private let sleeping: Sleeping

    package init(_ start: Timestamp, sleeping: Sleeping = .yields) {
        state = Mutex((start, 0, []))
        self.sleeping = sleeping
    }

    package var now: Timestamp { state.withLock { $0.now } }
    /// The sum of all advances; `set` does not count.
    package var elapsedMilliseconds: Int64 { state.withLock { $0.elapsed } }
    /// Every wait so far, in order.
    package var waits: [Int64] { state.withLock { $0.waits } }

    package func set(_ moment: Timestamp) { state.withLock { $0.now = moment } }

    package func advance(byMilliseconds delta: Int64) {
        state.withLock { state in
            state.now = state.now.advanced(byMilliseconds: delta)
            state.elapsed += delta
        }
    }

    package func advance(byDays days: Int64) { advance(byMilliseconds: days * 86_400_000) }

    package func sleep(milliseconds: Int64) async throws(CancellationError) {
        guard !Task.isCancelled else { throw CancellationError() }
        state.withLock { $0.waits.append(milliseconds) }
        switch sleeping {
        case .advances: advance(byMilliseconds: milliseconds)
        case .yields:
            await Task.yield()
            if Task.isCancelled { throw CancellationError() }
        }
    }
}
