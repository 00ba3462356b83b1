import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Lets a stream of HTTP/2 in as long as there is room for one: a connection may hold a hundred, each
/// with an answer that waits for its reader. A connection of HTTP/1 is counted where it is accepted.
final class StreamGate: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart

    private let census: ConnectionCensus
    private var isIn = false
    private var isRefused = false

    init(census: ConnectionCensus) { self.census = census }

    func handlerAdded(context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        typealias Decoder = ByteToMessageHandler<HTTPRequestDecoder>
        let isConnection = (try? pipeline.handler(type: Decoder.self)) != nil
        if isConnection { context.pipeline.syncOperations.removeHandler(self, promise: nil) }
    }

    /// Refused at its first part: a stream is not open before.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        guard isIn || census.enterStream() else {
            isRefused = true
            return context.close(promise: nil)
        }
        isIn = true
        context.fireChannelRead(data)
    }

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { leave() }

    private func leave() {
        if isIn { census.leaveStream() }
        isIn = false
    }
}
