import NIOCore

/// Runs a connection's tasks on its own event loop (Swift Evolution SE-0417), so that a question
/// is read, answered and written without a change of threads. What computes for long or may wait
/// takes itself off again: see `OffLoop`.
final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // The loops are the process's own and never end, so no job is dropped.
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
