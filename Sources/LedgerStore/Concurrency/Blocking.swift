internal import Dispatch
internal import Foundation

/// Runs blocking work (files, sorting on disk) off the cooperative pool.
package enum Blocking {
    package static func run<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(returning: Result { () throws(Failure) in try body() })
            }
        }
        return try result.get()
    }

    /// Blocks the current thread, which must be one of a store's own.
    package static func pause(_ duration: Duration) {
        guard duration > .zero else { return }
        usleep(useconds_t(duration / .microseconds(1)))
    }
}
