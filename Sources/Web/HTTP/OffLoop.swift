import Hummingbird

/// Answers a request on the cores at large, and not on its connection's event loop: for everything
/// that verifies, folds many chains or reads pages, so that no other connection waits for it.
struct OffLoop: RouterMiddleware {
    typealias Context = WebContext

    func handle(
        _ request: Request, context: WebContext,
        next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        try await OffLoop.run { try await next(request, context) }
    }

    /// Runs `body` there, and returns to where the caller runs.
    static func run<Value>(_ body: () async throws -> Value) async throws -> Value {
        try await withTaskExecutorPreference(globalConcurrentExecutor, operation: body)
    }
}
