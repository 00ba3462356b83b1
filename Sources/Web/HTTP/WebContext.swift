import Hummingbird
import NIOCore
internal import Service

/// What is known of one request besides its bytes.
struct WebContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The connection; of HTTP/2, the stream.
    let channel: any Channel
    /// The other end of the connection.
    let peer: SocketAddress?
    /// Who asks; nil where nobody has to say.
    var principal: AccessTokens.Principal?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
        peer = source.channel.remoteAddress
    }
}
