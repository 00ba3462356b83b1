import Hummingbird
internal import Service

/// Admits a request whose token has one of the scopes; `TokenMiddleware` has authenticated it.
struct ScopeMiddleware: RouterMiddleware {
    let tokens: AccessTokens
    /// The error names the first if the token has none of them.
    let scopes: [Scope]

    func handle(_ request: Request, context: WebContext, next: Next) async throws -> Response {
        guard !tokens.isEmpty else { return try await next(request, context) }
        // A scoped route that is also listed as open stays closed.
        guard let principal = context.principal else { throw TokenMiddleware.unauthorized }
        guard scopes.contains(where: principal.scopes.contains) else {
            throw Problem.lacking(scopes[0].rawValue)
        }
        return try await next(request, context)
    }
}
