import NIOCore
import NIOHTTPTypes

/// Marks a connection as one that has sent a request, then leaves its pipeline.
final class FirstRequest: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart

    private let limiter: ConnectionLimiter

    init(limiter: ConnectionLimiter) { self.limiter = limiter }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        limiter.requested(ObjectIdentifier(context.channel))
        context.fireChannelRead(data)
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }
}
