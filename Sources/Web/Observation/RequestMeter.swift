import Hummingbird

/// Counts and times requests by route; unknown paths share one label.
struct RequestMeter: RouterMiddleware {
    typealias Context = WebContext

    let metrics: ServiceMetrics

    func handle(
        _ request: Request, context: WebContext,
        next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        let response = try await next(request, context)
        metrics.answered(
            method: RequestMeter.known.contains(request.method.rawValue)
                ? request.method.rawValue : "other",
            path: context.endpointPath ?? "none", status: response.status.code,
            start.duration(to: .now))
        return response
    }

    private static let known: Set<String> = [
        "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE",
    ]
}
