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
            // Off the event loop, since the application may compute or block.
            return try await OffEventLoop.run {
                try await other.respond(
                    to: request, context: Other.Context(source: context.source))
            }
        }
        return try await ledger.respond(
            to: request, context: WebContext(source: context.source))
    }
}
