import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOHTTPTypes
import NIOHTTPTypesHTTP2

/// Marks a connection as one that has sent a request, and admits HTTP/2 streams while there is
/// room: a connection may hold a hundred, each with a response waiting to be read.
final class StreamGate: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart

    private let limiter: ConnectionLimiter
    /// Whether the channel is an HTTP/1 connection, which is counted when it is accepted.
    private var isConnection = false
    private var admittedAddress: String?
    private var isRefused = false

    init(limiter: ConnectionLimiter) { self.limiter = limiter }

    func handlerAdded(context: ChannelHandlerContext) {
        typealias Decoder = ByteToMessageHandler<HTTPRequestDecoder>
        isConnection = (try? context.pipeline.syncOperations.handler(type: Decoder.self)) != nil
    }

    /// Refuses at the first part, since the stream opens with it.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        if isConnection {
            limiter.requested(ObjectIdentifier(context.channel))
            context.fireChannelRead(data)
            return context.pipeline.syncOperations.removeHandler(self, promise: nil)
        }
        if admittedAddress == nil {
            let address = context.channel.parent?.remoteAddress?.ipAddress ?? ""
            guard limiter.enterStream(from: address) else {
                isRefused = true
                return refuse(context)
            }
            admittedAddress = address
            context.channel.parent.map { limiter.requested(ObjectIdentifier($0)) }
        }
        context.fireChannelRead(data)
    }

    /// REFUSED_STREAM guarantees that nothing was processed and the request can be retried (RFC
    /// 9113 §8.7).
    private func refuse(_ context: ChannelHandlerContext) {
        let sent = context.eventLoop.makePromise(of: Void.self)
        let channel = context.channel
        sent.futureResult.whenFailure { _ in channel.close(promise: nil) }
        context.triggerUserOutboundEvent(
            NIOHTTP2FramePayloadToHTTPEvent.reset(code: .refusedStream), promise: sent)
    }

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { leave() }

    private func leave() {
        if let admittedAddress { limiter.leaveStream(from: admittedAddress) }
        admittedAddress = nil
    }
}
