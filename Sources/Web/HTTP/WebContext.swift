import Hummingbird
import NIOCore
internal import Service

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
