import Hummingbird
import NIOCore
internal import Service

/// The rest of the handling of a request, which a middleware calls.
typealias Next = (Request, WebContext) async throws -> Response

struct WebContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The connection.
    let channel: any Channel
    let peer: SocketAddress?
    /// The authenticated client; nil where no token is required.
    var principal: AccessTokens.Principal?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
        peer = source.channel.remoteAddress
    }
}

extension ReportClient {
    /// The client of a request.
    init(_ context: WebContext) async {
        let channel = context.channel
        let input = await channel.isActive ? ConnectionInput.of(channel) : nil
        // Only a write could tell a client that is gone from one that closed its sending side and
        // reads on. One that closed it with the request gets its answer.
        let closedEarly = input?.isClosed ?? false
        self.init(isWaiting: { closedEarly || !(input?.isClosed ?? false) })
    }
}
