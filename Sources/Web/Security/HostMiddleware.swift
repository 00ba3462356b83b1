import HTTPTypes
import Hummingbird

/// Refuses a request that does not say, once, whom it means (RFC 9112 §3.2, RFC 9113 §8.3.1).
struct HostMiddleware: RouterMiddleware {
    typealias Context = WebContext

    static let host = HTTPField.Name("Host")!

    func handle(
        _ request: Request, context: WebContext,
        next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        guard request.head.authority != nil || request.headers[HostMiddleware.host] != nil else {
            throw Problem(
                .badRequest, code: "badRequest", detail: "The request must name one Host.")
        }
        return try await next(request, context)
    }
}
