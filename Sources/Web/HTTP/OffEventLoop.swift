import Hummingbird
import NIOCore

/// Handles a request on the global executor instead of its connection's event loop: for work that
/// verifies, folds many chains or reads pages, and would delay other connections.
struct OffEventLoop: RouterMiddleware {
    func handle(_ request: Request, context: WebContext, next: Next) async throws -> Response {
        try await OffEventLoop.run { try await next(request, context) }
    }

    /// Runs `body` there, and returns to the caller's executor.
    static func run<Value>(_ body: () async throws -> Value) async throws -> Value {
        try await withTaskExecutorPreference(globalConcurrentExecutor, operation: body)
    }
}

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
