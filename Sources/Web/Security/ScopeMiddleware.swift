import Hummingbird
internal import Service

/// Admits a request whose token has one of the scopes; `TokenMiddleware` has authenticated it.
struct ScopeMiddleware: RouterMiddleware {
    let tokens: AccessTokens
    let scopes: [Scope]
    /// What the error names if the token has none of them; nil: the first.
    var named: String?

    func handle(_ request: Request, context: WebContext, next: Next) async throws -> Response {
        guard !tokens.isEmpty else { return try await next(request, context) }
        // A scoped route that is also listed as open stays closed.
        guard let principal = context.principal else { throw TokenMiddleware.unauthorized }
        guard scopes.contains(where: principal.scopes.contains) else {
            throw Problem.lacking(named ?? scopes[0].rawValue)
        }
        return try await next(request, context)
    }
}
