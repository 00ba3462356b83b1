import NIOCore
import NIOTLS

/// Closes an HTTP/2 connection that sends too many frames without requests. It runs before the
/// HTTP/2 decoder and counts every frame, since SwiftNIO's own limits ignore WINDOW_UPDATE, GOAWAY,
/// unknown types and tiny DATA frames.
final class FrameBound: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// ENHANCE_YOUR_CALM (RFC 9113 §7).
    private static let enhanceYourCalm: UInt32 = 0xb

    private var allowance: FrameTokenBucket
    private var heads = FrameHeads()
    private var isOver = false

    init(limits: ConnectionLimits, now: NIODeadline) {
        allowance = FrameTokenBucket(limits: limits, now: now)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        context.fireUserInboundEventTriggered(event)
        // HTTP/1 has no frames.
        if case .handshakeCompleted(let chosen)? = event as? TLSUserEvent, chosen != "h2" {
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        let loop = context.eventLoop
        heads.read(unwrapInboundIn(data)) { frame in
            isOver = !allowance.take(frame, now: loop.now)
            return !isOver
        }
        guard isOver else { return context.fireChannelRead(data) }
        end(context)
    }

    /// Bytes written to the client add to its allowance.
    func write(
        context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
    ) {
        allowance.earn(byteCount: unwrapOutboundIn(data).readableBytes)
        context.write(data, promise: promise)
    }

    /// GOAWAY (RFC 9113 §6.8). Streams already started may have been processed, so none is declared
    /// unprocessed.
    private func end(_ context: ChannelHandlerContext) {
        var frame = context.channel.allocator.buffer(capacity: FrameHeads.headByteCount + 8)
        // Length and type, no flags, stream 0.
        frame.writeInteger(UInt32(8) << 8 | 7)
        frame.writeRepeatingByte(0, count: 5)
        frame.writeInteger(UInt32(Int32.max))
        frame.writeInteger(FrameBound.enhanceYourCalm)
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
        context.close(promise: nil)
    }
}
