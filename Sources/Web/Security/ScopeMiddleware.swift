import Hummingbird
internal import Service

/// Lets a request through whose token has the scope; who sent it was asked before.
struct ScopeMiddleware: RouterMiddleware {
    typealias Context = WebContext

    let tokens: AccessTokens
    let scope: Scope

    func handle(
        _ request: Request, context: WebContext,
        next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        guard !tokens.isEmpty else { return try await next(request, context) }
        // A route of some scope that is named as one that never asks is still closed.
        guard let principal = context.principal else { throw TokenMiddleware.unauthorized }
        guard principal.scopes.contains(scope) else {
            throw Problem(
                .forbidden, code: "insufficientScope",
                detail: "The token lacks the scope \(scope.rawValue).")
        }
        return try await next(request, context)
    }
}
