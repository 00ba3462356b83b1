import Hummingbird

/// Answers an unknown path below the console like a page: with the sign-in form first, then with a
/// 404 page.
struct UnknownPages: RouterMiddleware {
    let access: ConsoleGuard

    func handle(_ request: Request, context: WebContext, next: Next) async throws -> Response {
        guard context.endpointPath == nil, ConsoleRoutes.isPage(request.uri.path) else {
            return try await next(request, context)
        }
        return try await access.handle(request, context: context) { _, _ in
            throw Problem(.notFound, code: "noSuchPath", detail: "There is no such page.")
        }
    }
}
