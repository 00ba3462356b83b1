import Hummingbird

/// Removes the body from every response to HEAD, refusals included: the client would read it as the
/// connection's next response (RFC 9110 §9.3.2, RFC 9112 §6.3).
///
/// The outermost middleware, so that it covers every response, whatever a route does for HEAD.
struct HeadMiddleware: RouterMiddleware {
    func handle(_ request: Request, context: WebContext, next: Next) async throws -> Response {
        let response = try await next(request, context)
        // The length remains that of the GET response.
        return request.method == .head ? response.createHeadResponse() : response
    }
}
