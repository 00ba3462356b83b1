import Hummingbird
import Logging
import NIOCore

/// The ledger's routes next to those of an application, which ``WebService/responder(beside:)``
/// makes.
public struct LedgerResponder<Other: HTTPResponder>: HTTPResponder
where Other.Context: InitializableFromSource<ApplicationRequestContextSource> {
    let ledger: RouterResponder<WebContext>
    /// First segments of the ledger's paths.
    let segments: Set<String>
    let other: Other
    let problems = ProblemMiddleware()

    /// The source of the context of either side.
    public struct Context: InitializableFromSource {
        let channel: any Channel
        let logger: Logger

        public init(source: ApplicationRequestContextSource) {
            channel = source.channel
            logger = source.logger
        }

        var source: ApplicationRequestContextSource {
            ApplicationRequestContextSource(channel: channel, logger: logger)
        }
    }

    /// The first segment of a path; nil for the root.
    static func segment(_ path: String) -> String? {
        path.split(separator: "/", maxSplits: 1).first.map(String.init)
    }

    public func respond(to request: Request, context: Context) async throws -> Response {
        guard let segment = Self.segment(request.uri.path), segments.contains(segment) else {
            return try await respondBeside(request, context)
        }
        return try await ledger.respond(
            to: request, context: WebContext(source: context.source))
    }

    /// The application's response. Off the event loop, since the application may compute or block,
    /// also while it writes a body.
    private func respondBeside(_ request: Request, _ context: Context) async throws -> Response {
        do {
            var response = try await OffEventLoop.run {
                try await other.respond(
                    to: request, context: Other.Context(source: context.source))
            }
            let body = response.body
            guard body.contentLength != 0 else { return response }
            response.body = ResponseBody(contentLength: body.contentLength) { writer in
                try await OffEventLoop.run { try await body.write(writer) }
            }
            return response
        } catch let error where Problem(ofLedger: error) != nil {
            let problem = try problems.problem(of: error, WebContext(source: context.source))
            let response = problem.response
            return request.method == .head ? response.createHeadResponse() : response
        }
    }
}
