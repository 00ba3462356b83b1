import Dispatch
import GRDB

/// Holds the write lock of a file from `init` to `release`, as another process would.
package final class LockHolder: Sendable {
    private let ended = DispatchSemaphore(value: 0)
    private let released = DispatchSemaphore(value: 0)

    package init(path: String) throws {
        let queue = try DatabaseQueue(path: path)
        let held = DispatchSemaphore(value: 0)
        queue.asyncWriteWithoutTransaction { [ended, released] database in
            try? database.inTransaction(.immediate) {
                held.signal()
                ended.wait()
                return .rollback
            }
            released.signal()
        }
        held.wait()
    }

    package func release() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [self] in
                ended.signal()
                released.wait()
                continuation.resume()
            }
        }
    }
}
