import HTTPTypes
import Hummingbird

/// Counts and times requests by route; unknown paths share one label.
struct RequestMeter: RouterMiddleware {
    let metrics: ServiceMetrics

    func handle(_ request: Request, context: WebContext, next: Next) async throws -> Response {
        let start = ContinuousClock.now
        // Read first: for an unknown path, the router sets another value while it answers.
        let path = context.endpointPath ?? "none"
        let response = try await next(request, context)
        let isRefused = RequestMeter.isRefused(request, response)
        metrics.answered(
            method: RequestMeter.known.contains(request.method.rawValue)
                ? request.method.rawValue : "other",
            path: isRefused ? "none" : path,
            status: response.status.code, start.duration(to: .now))
        return response
    }

    /// Whether a client without any right gets this answer on every path. Such answers share one
    /// label: with one per path and method, clients could use up the series, and later failures of
    /// a route would have none.
    private static func isRefused(_ request: Request, _ response: Response) -> Bool {
        switch response.status {
        case .unauthorized, .forbidden, .methodNotAllowed, .misdirectedRequest: true
        case .badRequest: !HostMiddleware.namesOneHost(request)
        case .seeOther: ConsoleGuard.isSignIn(response)
        default: false
        }
    }

    private static let known: Set<String> = [
        "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE",
    ]
}
