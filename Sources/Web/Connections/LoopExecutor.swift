import NIOCore

/// Runs a connection's tasks on its own event loop (Swift Evolution SE-0417), so that a query is
/// read, answered and written without changing threads. Long or blocking work leaves it again: see
/// `OffEventLoop`.
final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // The event loops live as long as the process, so no job is dropped.
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
