import NIOCore

/// Reports that bytes arrived, before any other handler reads them.
final class ByteArrivals: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let emit: () -> Void

    init(_ emit: @escaping () -> Void) { self.emit = emit }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        emit()
        context.fireChannelRead(data)
    }
}
