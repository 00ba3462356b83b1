import Hummingbird
internal import Service

/// Counts the notifications that are being taken, from the first byte to the answer: the projector
/// leaves the cores to them when there are many.
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
