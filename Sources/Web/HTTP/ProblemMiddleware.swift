import Hummingbird
import Logging
import NIOHTTP1

/// Turns whatever was thrown into a problem, once, for every route.
struct ProblemMiddleware: RouterMiddleware {
    typealias Context = WebContext

    func handle(
        _ request: Request, context: WebContext,
        next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        do { return try await next(request, context) } catch let error as HTTPParserError {
            // What is no HTTP any more is answered where the connection is closed.
            throw error
        } catch {
            let problem = Problem(error)
            if problem.code == "internal" {
                // Types only: what an unexpected error says may hold anything.
                context.logger.error(
                    "A request failed unexpectedly.",
                    metadata: [
                        "error": "\(type(of: error))", "path": "\(context.endpointPath ?? "")",
                    ])
            }
            return problem.response
        }
    }
}
