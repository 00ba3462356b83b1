import Hummingbird
internal import Service

/// Admits a request whose token has the scope; `TokenMiddleware` has authenticated it.
struct ScopeMiddleware: RouterMiddleware {
    typealias Context = WebContext

    let tokens: AccessTokens
    let scope: Scope

    func handle(
        _ request: Request, context: WebContext,
        next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        guard !tokens.isEmpty else { return try await next(request, context) }
        // A scoped route that is also listed as open stays closed.
        guard let principal = context.principal else { throw TokenMiddleware.unauthorized }
        guard principal.scopes.contains(scope) else {
            throw Problem(
                .forbidden, code: "insufficientScope",
                detail: "The token lacks the scope \(scope.rawValue).")
        }
        return try await next(request, context)
    }
}
