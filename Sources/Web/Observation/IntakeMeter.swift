import Hummingbird
internal import Service

/// Counts notifications in progress, from the first byte to the response: under load the projector
/// leaves them the cores.
struct IntakeMeter: RouterMiddleware {
    typealias Context = WebContext

    let cores: CoreWatch

    func handle(
        _ request: Request, context: WebContext,
        next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        try await cores.whileTaking { try await next(request, context) }
    }
}
