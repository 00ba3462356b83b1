import Hummingbird
import Logging
import NIOHTTP1

/// Turns whatever was thrown into a problem, once, for every route.
struct ProblemMiddleware: RouterMiddleware {
    typealias Context = WebContext

    /// Shared by all requests: whatever fails in each of many is told ten times a second.
    var pace = LogPace()

    func handle(
        _ request: Request, context: WebContext,
        next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        do { return try await next(request, context) } catch let error as HTTPParserError {
            // What is no HTTP any more is answered where the connection is closed.
            throw error
        } catch {
            if let cutOff = error as? BodyCutOff {
                context.logger.debug(
                    "A body was cut off by its sender.", metadata: about(cutOff.cause, context))
            }
            let problem = Problem(error)
            if problem.code == "internal", let suppressed = pace.admit(problem.code) {
                var metadata = about(error, context)
                if suppressed > 0 { metadata["suppressed"] = "\(suppressed)" }
                context.logger.error("A request failed unexpectedly.", metadata: metadata)
            }
            return problem.response
        }
    }

    /// Types only: what an unexpected error says may hold anything.
    private func about(_ error: any Error, _ context: WebContext) -> Logger.Metadata {
        ["error": "\(type(of: error))", "path": "\(context.endpointPath ?? "")"]
    }
}
