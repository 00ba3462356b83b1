internal import Dispatch

/// Threads for computations that take seconds. The threads of the cooperative pool answer requests
/// and take notifications in: a few such computations would occupy all of them.
package final class ComputingExecutor: TaskExecutor {
    package static let shared = ComputingExecutor()

    /// Another queue than that of `Blocking`, whose work is short.
    private let queue = DispatchQueue.global(qos: .utility)

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
