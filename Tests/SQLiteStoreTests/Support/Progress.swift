import Synchronization

/// Stores the last reported progress.
final class Progress: Sendable {
    private let state = Mutex<[Int64]>([])

    var last: [Int64] { state.withLock { $0 } }

    func note(_ done: Int64, _ all: Int64) { state.withLock { $0 = [done, all] } }
}
