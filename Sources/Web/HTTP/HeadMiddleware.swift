import Hummingbird

/// Sees to it that no answer to a HEAD has a body, refusals included: its reader takes whatever
/// follows the head for the next answer of the connection (RFC 9110 §9.3.2, RFC 9112 §6.3).
///
/// Around everything that answers: what a route makes of a HEAD is its own affair, what goes over
/// the connection is not.
struct HeadMiddleware: RouterMiddleware {
    typealias Context = WebContext

    func handle(
        _ request: Request, context: WebContext,
        next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        let response = try await next(request, context)
        // The length stays: that of the answer to a GET.
        return request.method == .head ? response.createHeadResponse() : response
    }
}
