internal import AppStore
import HTTPTypes
import Hummingbird

/// Gives every request its trace: that of its `traceparent`, or a new one where it has none,
/// several, or an invalid one.
struct TraceMiddleware: RouterMiddleware {
    private static let field = HTTPField.Name(TraceContext.headerName)!

    func handle(_ request: Request, context: WebContext, next: Next) async throws -> Response {
        let values = request.headers[values: TraceMiddleware.field]
        let received = values.count == 1 ? TraceContext(continuing: values[0]) : nil
        return try await TraceContext.$current.withValue(received ?? TraceContext()) {
            try await next(request, context)
        }
    }
}
