import NIOCore

/// Reports that bytes arrived, before any other handler reads them.
final class ByteArrivals: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let tell: () -> Void

    init(_ tell: @escaping () -> Void) { self.tell = tell }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        tell()
        context.fireChannelRead(data)
    }
}
