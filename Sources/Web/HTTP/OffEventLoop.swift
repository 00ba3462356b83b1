import Hummingbird

/// Handles a request on the global executor instead of its connection's event loop: for work that
/// verifies, folds many chains or reads pages, and would delay other connections.
struct OffEventLoop: RouterMiddleware {
    typealias Context = WebContext

    func handle(
        _ request: Request, context: WebContext,
        next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        try await OffEventLoop.run { try await next(request, context) }
    }

    /// Runs `body` there, and returns to the caller's executor.
    static func run<Value>(_ body: () async throws -> Value) async throws -> Value {
        try await withTaskExecutorPreference(globalConcurrentExecutor, operation: body)
    }
}
