import HTTPTypes
import Hummingbird
internal import Service

/// Authenticates a request before anything is revealed about it, including whether its path or
/// method exists. Without configured tokens all requests pass: then the service listens on loopback
/// only.
struct TokenMiddleware: RouterMiddleware {
    let tokens: AccessTokens
    let failures: AuthenticationFailures

    /// Whether a route never requires a token (`Contract.md`). All routes not listed here do.
    ///
    /// - Parameter path: as registered; nil for an unknown path.
    static func isOpen(_ path: String?, _ method: HTTPRequest.Method) -> Bool {
        switch path {
        case "/appstore/notifications", "/appstore/retention": method == .post
        case "/healthz", "/readyz", "/readyz/answers", "/openapi.yaml": true
        default: false
        }
    }

    func handle(_ request: Request, context: WebContext, next: Next) async throws -> Response {
        guard !tokens.isEmpty, !TokenMiddleware.isOpen(context.endpointPath, request.method),
            !ConsoleRoutes.isPage(context.endpointPath)
        else {
            return try await next(request, context)
        }
        let token = TokenMiddleware.bearer(request.headers[values: .authorization])
        guard let principal = token.flatMap({ tokens.principal(of: $0) }) else {
            failures.note(token == nil ? .noToken : .unknownToken, request, context)
            throw TokenMiddleware.unauthorized
        }
        var context = context
        context.principal = principal
        return try await next(request, context)
    }

    /// RFC 6750 §3.
    static var unauthorized: Problem {
        var problem = Problem(
            .unauthorized, code: "unauthorized",
            detail: "A valid token is required: `Authorization: Bearer …`.")
        problem.headers[.wwwAuthenticate] = "Bearer realm=\"subledger\""
        return problem
    }

    /// The token of the only Authorization field (RFC 6750 §2.1).
    private static func bearer(_ values: [String]) -> [UInt8]? {
        guard values.count == 1 else { return nil }
        let parts = values[0].split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        let token = parts[1].utf8.drop { $0 == UInt8(ascii: " ") }
        return token.isEmpty ? nil : Array(token)
    }
}
