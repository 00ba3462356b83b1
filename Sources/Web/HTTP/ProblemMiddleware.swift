import Hummingbird
import Logging
import NIOHTTP1
internal import Service

/// Turns thrown errors into problems, for every route.
struct ProblemMiddleware: RouterMiddleware {
    /// Shared by all requests: repeated failures are logged at most ten times per second.
    var pace = LogRateLimiter()

    func handle(_ request: Request, context: WebContext, next: Next) async throws -> Response {
        do { return try await next(request, context) } catch {
            var response = try problem(of: error, context).response
            // Refused before it came to the guard of the pages.
            if ConsoleRoutes.isPage(request.uri.path) { ConsoleGuard.protect(&response) }
            return response
        }
    }

    /// The problem that an error is answered as; logs what operators must know. Rethrows the
    /// error of invalid HTTP: Hummingbird answers that with 400 and closes the connection.
    func problem(of error: any Error, _ context: WebContext) throws -> Problem {
        if error is HTTPParserError { throw error }
        if let cutOff = error as? TruncatedBody {
            context.logger.debug(
                "A client disconnected before the end of its body.",
                metadata: about(cutOff.cause, context))
        }
        let problem = Problem(error)
        if problem.status == .internalServerError, let remedy = problem.remedy,
            let suppressed = pace.admit(problem.code)
        {
            context.logger.error(
                "A request failed: \(remedy)",
                metadata: [
                    "code": "\(problem.code)", "path": "\(context.endpointPath ?? "")",
                    "suppressed": "\(suppressed)",
                ])
        }
        if problem.code == "internal", problem.remedy == nil,
            let suppressed = pace.admit(problem.code)
        {
            var metadata = about(error, context)
            if suppressed > 0 { metadata["suppressed"] = "\(suppressed)" }
            context.logger.error("A request failed unexpectedly.", metadata: metadata)
        }
        return problem
    }

    /// Types only, since the text of an unexpected error may contain anything.
    private func about(_ error: any Error, _ context: WebContext) -> Logger.Metadata {
        ["error": "\(type(of: error))", "path": "\(context.endpointPath ?? "")"]
    }
}
